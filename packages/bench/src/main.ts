// `npm run bench -- <subject>`: measures a platform from outside; results are in docs/performance.md.
import { type Options, readArguments, type Subject, UsageError, usage } from './arguments.ts'
import { accounts } from './subjects/accounts.ts'
import { alarms } from './subjects/alarms.ts'
import { chaosSubject } from './subjects/chaos.ts'
import { cluster } from './subjects/cluster.ts'
import { derive } from './subjects/derive.ts'
import { exportRows } from './subjects/exports.ts'
import { flood } from './subjects/flood.ts'
import { importDevices } from './subjects/import.ts'
import { ingest } from './subjects/ingest.ts'
import { list } from './subjects/list.ts'
import { live } from './subjects/live.ts'
import { log } from './subjects/log.ts'
import { moves } from './subjects/moves.ts'
import { peers } from './subjects/peers.ts'
import { query } from './subjects/query.ts'
import type { Report, Say } from './subjects/report.ts'
import { rules } from './subjects/rules.ts'
import { soak } from './subjects/soak.ts'
import { start } from './subjects/start.ts'
import { storage } from './subjects/storage.ts'
import { twins } from './subjects/twins.ts'

const subjects: Record<Subject, (options: Options, say: Say, signal: AbortSignal) => Promise<Report>> = {
  ingest,
  live,
  start: (_options, say, signal) => start(say, signal),
  query,
  storage: (_options, say, signal) => storage(say, signal),
  list,
  import: importDevices,
  accounts,
  twins,
  moves,
  log,
  soak,
  flood,
  derive,
  rules,
  exports: exportRows,
  alarms,
  chaos: chaosSubject,
  cluster,
  peers,
}

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)))

try {
  const options = readArguments(process.argv.slice(2))
  if (options === null) console.log(usage)
  else await measure(options)
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`)
  else console.error(stop.signal.aborted ? String(stop.signal.reason) : error)
  process.exitCode = 1
}

async function measure(options: Options): Promise<void> {
  const started = performance.now()
  // Figures go to stdout, progress to stderr.
  const say: Say = (sentence) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6)
    process.stderr.write(`${seconds} s  ${sentence}\n`)
  }
  const { json, lines, isClean } = await subjects[options.subject](options, say, stop.signal)
  if (options.json) console.log(JSON.stringify(json))
  else console.log(`\n${lines.join('\n')}\n`)
  if (isClean === false) process.exitCode = 1
}
