// Fails unless the migrations are numbered without gaps, each number is used once, and what removes something is named so.
import { join } from 'node:path'
import { readMigrations } from '../packages/server/src/platform/db/migrate.ts'
import { root } from './lib.mjs'

const folder = join(root, 'packages', 'server', 'migrations')
/** The last migration from before nodes of two versions could run side by side. */
const lastWithout = 108
/** What the version before would miss, or could not write any more. */
const removes =
  /\b(drop\s+(table|column|view|function|trigger|constraint|default)|rename\s+(to|column)|set\s+not\s+null|alter\s+(column\s+)?\w+\s+(set\s+data\s+)?type|truncate)\b/i

try {
  const migrations = readMigrations(folder)
  console.log(`${migrations.length} migrations`)
  for (const { number, name, sql, isContract } of migrations) {
    if (number <= lastWithout || isContract) continue
    const found = removes.exec(sql.replaceAll(/--.*$/gm, ''))
    if (found === null) continue
    console.log(
      `${name}: "${found[0]}" breaks nodes of the version before; put it into a migration named .contract.sql`,
    )
    process.exitCode = 1
  }
} catch (error) {
  console.log(error.message)
  process.exitCode = 1
}
