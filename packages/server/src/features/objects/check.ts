import type { Db, Executor } from '../../platform/db/index.ts'
import type { Use } from '../../platform/uses.ts'
import type { Definitions, Difference, ObjectKind } from './kinds.ts'
import { readRecorded } from './record.store.ts'
import { kinds } from './registry.ts'

/** Objects read per page. */
const pageRows = 500
/** The highest possible id. */
const last = 2_147_483_647

/**
 * Recomputes `uses` from the definitions and compares. Each page is read in one snapshot, so it can run while
 * a server is running.
 * @param differencesMax stops after this many differences
 */
export async function checkUses(db: Db, differencesMax = 1000): Promise<Difference[]> {
  const found: Difference[] = []
  for (const [kind, { definitions, check }] of kinds()) {
    if (found.length >= differencesMax) break
    if (check) found.push(...(await check(db, differencesMax)))
    if (definitions) found.push(...(await compareKind(db, kind, definitions, differencesMax)))
  }
  return found.slice(0, differencesMax)
}

async function compareKind(
  db: Db,
  kind: ObjectKind,
  definitions: Definitions,
  differencesMax: number,
): Promise<Difference[]> {
  const found: Difference[] = []
  for (let after = 0; after < last && found.length < differencesMax; ) {
    const page = await snapshot(db, (tx) => readPage(tx, kind, definitions, after))
    found.push(...differencesOf(kind, page))
    after = page.to
  }
  return found
}

interface Page {
  defined: { id: number; uses: readonly Use[] }[]
  recorded: (Use & { user: number })[]
  /** the last id that was compared */
  to: number
}

async function readPage(
  tx: Executor,
  kind: ObjectKind,
  definitions: Definitions,
  after: number,
): Promise<Page> {
  const defined = await definitions.read(tx, after, pageRows)
  const to = defined.length < pageRows ? last : (defined.at(-1)?.id ?? last)
  return { defined, recorded: await readRecorded(tx, kind, after + 1, to), to }
}

/** References that are defined but not recorded, and those that are recorded but no longer defined. */
export function differencesOf(user: ObjectKind, { defined, recorded }: Omit<Page, 'to'>): Difference[] {
  const key = (id: number, use: Use) => `${id} ${use.kind} ${use.id} ${use.note}`
  const wanted = new Map(
    defined.flatMap(({ id, uses }) =>
      uses.map((use) => [key(id, use), { user, id, kind: use.kind, used: use.id, note: use.note }] as const),
    ),
  )
  const noted = new Map(
    recorded.map((use) => [
      key(use.user, use),
      { user, id: use.user, kind: use.kind, used: use.id, note: use.note },
    ]),
  )
  return [
    ...[...wanted].flatMap(([id, use]) => (noted.has(id) ? [] : [{ ...use, problem: 'missing' as const }])),
    ...[...noted].flatMap(([id, use]) => (wanted.has(id) ? [] : [{ ...use, problem: 'stale' as const }])),
  ]
}

function snapshot<T>(db: Db, read: (tx: Executor) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
