import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/platform/db/embedded.ts'
import { openConnection, openDatabase } from '../src/platform/db/index.ts'
import { migrationsFolder } from '../src/platform/db/location.ts'
import { migrate, readMigrations } from '../src/platform/db/migrate.ts'
import { createLog } from '../src/platform/log.ts'
import { describeTables } from './types.ts'

// Writes platform/db/types.gen.ts from a database made by the migrations.
const log = createLog('warn')
const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-types-'))
try {
  await using server = await startEmbedded({ dataDir, log, durable: false })
  const address = { ...server.connection, database: 'postgres' }
  const connection = await openConnection(address, 'types')
  await migrate(connection, readMigrations(migrationsFolder))
  await connection.end()
  const { db } = openDatabase(address, log)
  const text = await describeTables(db)
  await db.destroy()
  writeFileSync(new URL('../src/platform/db/types.gen.ts', import.meta.url), text)
  console.log(`types.gen.ts: ${text.split('\n').length} lines`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
