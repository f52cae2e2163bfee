import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { tablesOf } from './owners.ts'
import { accessesOf, type Schema } from './scan.ts'
import { readMigrations, type SqlFunction, type TableUse } from './sqlText.ts'

const server = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(server, path), 'utf8')
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: server })
    .map((path) => path.split(sep).join('/'))
    .sort()

/** A violation of the rule: `by` is a file below src, or `trigger` and the function it runs. */
export interface Breach {
  by: string
  /** the violator: a feature, `platform` or `app`; for a trigger the owner of its table */
  party: string
  table: string
  writes: boolean
  /** location, for the message */
  at: string
}

/** The features from low to high, in the order of the import directions. */
export const features = [
  ...(/const features = \[([^\]]*)\]/.exec(read('../../.dependency-cruiser.cjs'))?.[1] ?? '').matchAll(
    /'(\w+)'/g,
  ),
].map(([, name = '']) => name)

/** The tables of the migrated database; a test of `platform/db` keeps the generated types equal to it. */
export const tables = [
  ...(/export interface DB \{([^}]*)\}/.exec(read('src/platform/db/types.gen.ts'))?.[1] ?? '').matchAll(
    /(\w+):/g,
  ),
].map(([, name = '']) => name)

const owners = new Map<string, string>(
  Object.entries(tablesOf).flatMap(([owner, owned]) => owned.map((table) => [table, owner] as const)),
)

const heightOf = (party: string) =>
  party === 'platform' ? -1 : party === 'app' ? features.length : features.indexOf(party)

/** Only the owner writes a table, and no feature below the owner reads it. */
function isBreach(party: string, { table, writes }: TableUse): boolean {
  const owner = owners.get(table)
  return owner === undefined || (writes ? owner !== party : heightOf(owner) > heightOf(party))
}

const partyOf = (file: string) =>
  /^features\/(\w+)/.exec(file)?.[1] ?? /^platform\//.exec(file)?.[0].slice(0, -1) ?? 'app'

/** Violations in the server's sources; tests and generated files write nothing. */
function breachesInSources(schema: Schema): Breach[] {
  const files = filesOf('src/**/*.ts').filter((file) => !/\.(test|gen)\.ts$/.test(file))
  return files.flatMap((path) => {
    const by = path.replace(/^src\//, '')
    const party = partyOf(by)
    return accessesOf(read(path), schema)
      .filter((access) => isBreach(party, access))
      .map(({ table, writes, line }) => ({ by, party, table, writes, at: `${path}:${line}` }))
  })
}

/** Violations by triggers: a trigger function acts on behalf of the owner of the trigger's table. */
function breachesOfTriggers(
  { functions, tables: known }: Schema,
  triggers: { table: string; runs: string }[],
): Breach[] {
  return triggers.flatMap(({ table, runs }) => {
    const party = owners.get(table) ?? 'unknown'
    return usesOf(runs, functions)
      .filter((use) => known.has(use.table) && isBreach(party, use))
      .map((use) => ({ by: `trigger ${runs}`, party, ...use, at: `${runs}() after a change of ${table}` }))
  })
}

/** Table uses of a database function, including those it calls. */
function usesOf(
  name: string,
  functions: ReadonlyMap<string, SqlFunction>,
  seen = new Set<string>(),
): TableUse[] {
  const found = functions.get(name)
  if (!found || seen.has(name)) return []
  seen.add(name)
  return [...found.uses, ...found.called.flatMap((called) => usesOf(called, functions, seen))]
}

/** All current violations. */
export function findBreaches(): Breach[] {
  const { schema, triggers } = readSchema()
  return [...breachesInSources(schema), ...breachesOfTriggers(schema, triggers)]
}

/** The schema after all migrations, with its triggers. */
export function readSchema(): { schema: Schema; triggers: { table: string; runs: string }[] } {
  const { functions, triggers } = readMigrations(filesOf('migrations/*.sql').map(read))
  return { schema: { tables: new Set(tables), functions }, triggers }
}
