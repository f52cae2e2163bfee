import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { StartError } from '../errors.ts'

/** One numbered SQL file. `checksum` is the SHA-256 of its text. */
export interface Migration {
  number: number
  name: string
  sql: string
  checksum: string
  /** it removes what the version before needs; the others only add, and that version goes on with them */
  isContract: boolean
}

interface MigrateOptions {
  /** no server of the version before runs, or may still start */
  mayContract?: boolean
  /** a newer version may have added to the schema while this one runs on other nodes */
  mayBeBehind?: boolean
}

const contractEnd = '.contract.sql'

/** Serialises servers that start at the same time on one database. */
const migrationLock = 7_211_002
/** PostgreSQL 15 introduced `unique nulls not distinct`, which the schema uses. */
const serverVersionMin = 150_000

/**
 * Reads the migrations of a folder: `0001_name.sql`, `0002_…`, without gaps; `0003_name.contract.sql` removes.
 * @throws Error when a file name is invalid, or a number is missing or used twice
 */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  return files.map((file, index) => {
    const match = /^(\d{4})_([a-z0-9_]+)(?:\.contract)?\.sql$/.exec(file)
    if (!match) throw new Error(`${file} is not named like 0001_name.sql`)
    const number = Number(match[1])
    if (number <= index) throw new Error(`${file}: number ${number} is used twice`)
    if (number !== index + 1) throw new Error(`${file}: number ${index + 1} is missing`)
    const sql = readFileSync(join(folder, file), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    return { number, name: file, sql, checksum, isContract: file.endsWith(contractEnd) }
  })
}

/**
 * Migrates a database to the newest version, forward only: each file runs in its own transaction together
 * with the record of its version, under an advisory lock, without needing a superuser.
 * @param client a dedicated connection; it is not closed
 * @returns numbers of the migrations that were applied now: all, or those before the first that may not be
 * @throws StartError when the database is too old, newer than the program, or was created from different
 * files
 */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  { mayContract = true, mayBeBehind = false }: MigrateOptions = {},
): Promise<number[]> {
  await refuseOldServer(client)
  await client.query('select pg_advisory_lock($1)', [migrationLock])
  try {
    await client.query(
      `create table if not exists schema_migrations (
         number integer primary key,
         name text not null,
         checksum text not null,
         applied_at timestamptz not null default now())`,
    )
    const { rows } = await client.query<Applied>(
      'select number, name, checksum from schema_migrations order by number',
    )
    refuseForeign(rows, migrations, mayBeBehind)
    const left = migrations.slice(rows.length)
    const first = mayContract ? -1 : left.findIndex(({ isContract }) => isContract)
    const open = first === -1 ? left : left.slice(0, first)
    for (const migration of open) await apply(client, migration)
    return open.map(({ number }) => number)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock])
  }
}

async function refuseOldServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  )
  const version = rows[0]?.version ?? 0
  if (version >= serverVersionMin) return
  throw new StartError(
    `The database is PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed.`,
  )
}

/** A row of `schema_migrations`. */
interface Applied {
  number: number
  name: string
  checksum: string
}

function refuseForeign(applied: readonly Applied[], known: readonly Migration[], mayBeBehind: boolean): void {
  const newest = applied.at(-1)?.number ?? 0
  const newer = applied.slice(known.length)
  if (newer.length > 0 && !(mayBeBehind && newer.every(({ name }) => !name.endsWith(contractEnd)))) {
    throw new StartError(
      `The database has schema ${newest}, this version of Leitstand knows ${known.length}: start the newer version again.`,
    )
  }
  for (const { number, checksum } of applied.slice(0, known.length)) {
    const migration = known[number - 1]
    if (migration?.checksum === checksum) continue
    throw new StartError(
      `The database was made from another text of migration ${migration?.name ?? number}: migrations must not change once they have been applied.`,
    )
  }
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new StartError(
      `Migration ${migration.name} failed: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    )
  }
}
