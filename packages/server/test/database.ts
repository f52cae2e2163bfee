import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/platform/db/embedded.ts'
import { openConnection } from '../src/platform/db/index.ts'
import { migrationsFolder } from '../src/platform/db/location.ts'
import { migrate, readMigrations } from '../src/platform/db/migrate.ts'
import { createLog } from '../src/platform/log.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** the database server of this run and the migrated database that every test file gets a copy of */
    database: { host: string; port: number; user: string; password: string; template: string }
  }
}

const template = 'leitstand_template'

/** Starts one PostgreSQL for the run and prepares the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-test-'))
  const server = await startEmbedded({ dataDir, log: createLog('error'), durable: false })
  // A run that is ended from outside must not leave the database running: it is in a process group of its own.
  const endWithUs = () => process.kill(server.pid(), 'SIGQUIT')
  process.once('exit', endWithUs)
  process.once('SIGTERM', () => process.exit(143))
  const admin = new pg.Client({ ...server.connection, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${template}`)
  await admin.end()

  const address = { ...server.connection, database: template }
  const connection = await openConnection(address, 'template')
  await migrate(connection, readMigrations(migrationsFolder))
  const boss = new PgBoss({ ...address, schema: 'pgboss', supervise: false, schedule: false })
  await boss.start()
  await boss.stop({ graceful: false })
  await connection.end()

  project.provide('database', { ...server.connection, template })
  return async () => {
    process.off('exit', endWithUs)
    await server[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
