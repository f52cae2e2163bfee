import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from './config.ts'
import { checkUses } from './features/objects/index.ts'
import { registerObjects } from './objects.ts'
import { findEmbedded, startEmbedded } from './platform/db/embedded.ts'
import { type DatabaseAddress, type Db, openDatabase } from './platform/db/index.ts'
import { StartError } from './platform/errors.ts'
import { createLog } from './platform/log.ts'

// `npm run doctor -- uses`: finds data that the database stores twice with different values. Changes
// nothing; exits with 1 if it finds a difference. It can run while the server is running.

const log = createLog('fatal')
const checks: Record<string, (db: Db) => Promise<number>> = { uses: reportUses }

try {
  const [name = ''] = parseArgs({ allowPositionals: true }).positionals
  const check = checks[name]
  if (!check) throw new StartError(`Usage: npm run doctor -- <${Object.keys(checks).join('|')}>`)
  await using stack = new AsyncDisposableStack()
  const config = readConfig(process.env, process.env.INIT_CWD ?? process.cwd())
  const { db } = stack.use(openDatabase(await addressOf(config, stack), log))
  process.exitCode = (await check(db)) === 0 ? 0 : 1
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) console.error(error.message)
  else console.error(error)
  process.exitCode = 2
}

async function addressOf(config: Config, stack: AsyncDisposableStack): Promise<DatabaseAddress> {
  const url = config.databaseDirectUrl ?? config.databaseUrl
  if (url) return { connectionString: url }
  const { dataDir } = config
  const connection = findEmbedded(dataDir) ?? stack.use(await startEmbedded({ dataDir, log })).connection
  return { ...connection, database: 'postgres' }
}

/** @returns the number of differences */
async function reportUses(db: Db): Promise<number> {
  registerObjects()
  const differences = await checkUses(db)
  for (const { problem, user, id, kind, used, note } of differences)
    console.log(`${problem}: ${user} ${id} uses ${kind} ${used} (${note})`)
  console.log(differences.length === 0 ? 'uses: no differences' : `uses: ${differences.length} differences`)
  return differences.length
}
