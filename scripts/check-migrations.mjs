// Fails unless the migrations are numbered without gaps and each number is used once.
import { join } from 'node:path'
import { readMigrations } from '../packages/server/src/platform/db/migrate.ts'
import { root } from './lib.mjs'

const folder = join(root, 'packages', 'server', 'migrations')
try {
  console.log(`${readMigrations(folder).length} migrations`)
} catch (error) {
  console.log(error.message)
  process.exitCode = 1
}
