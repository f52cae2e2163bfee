import { MapSettings, type MarkedState, mapDefaults } from '@leitstand/contract/mapSettings'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { ints, isInTree } from './filters.ts'
import type { TwinPair } from './stateCopies.ts'

/** Titles of states and their keys are counted in as many states at most. */
const countedMax = 20_000
const listedMax = 100

interface FoundSettings {
  settings: MapSettings
  /** whose settings they are; null: nobody has set any */
  from: { id: number; title: string; scopeId: number } | null
  /** of the twin's own; 0 without */
  version: number
}

/**
 * The settings of a twin, else those of the nearest one above it that has some, else the defaults.
 * @param topId nothing above this twin counts
 */
export async function findMapSettings(
  db: Executor,
  twinId: number,
  topId: number | null = null,
): Promise<FoundSettings> {
  const { rows } = await sql<{
    settings: unknown
    version: number
    id: number
    title: string
    scopeId: number
  }>`
    with recursive up as (
      select id, parent_id, 0 as height from twins where id = ${twinId}
      union all
      select p.id, p.parent_id, up.height + 1 from twins p join up on p.id = up.parent_id
      where up.id is distinct from ${topId}::int)
    select m.settings, m.version, t.id, t.title, t.scope_id as "scopeId"
    from up join twin_map_settings m on m.twin_id = up.id join twins t on t.id = up.id
    order by up.height limit 1`.execute(db)
  const [found] = rows
  if (!found) return { settings: mapDefaults, from: null, version: 0 }
  const { id, title, scopeId, version } = found
  return {
    settings: MapSettings.parse(found.settings),
    from: { id, title, scopeId },
    version: id === twinId ? version : 0,
  }
}

/** The caller must hold the lock on the twin. */
export async function saveMapSettings(
  tx: Executor,
  { twinId, settings }: { twinId: number; settings: MapSettings },
): Promise<void> {
  await sql`
    insert into twin_map_settings (twin_id, settings) values (${twinId}, ${jsonb(settings)})
    on conflict (twin_id) do update set settings = excluded.settings,
      version = twin_map_settings.version + 1`.execute(tx)
}

/** @returns whether there were some */
export async function removeMapSettings(tx: Executor, twinId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('twin_map_settings')
    .where('twin_id', '=', twinId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Gives copies of twins their map settings. */
export async function copyMapSettings(tx: Executor, pairs: readonly TwinPair[]): Promise<void> {
  await sql`
    insert into twin_map_settings (twin_id, settings)
    select p.to_id, m.settings
    from unnest(${ints(pairs.map(({ from }) => from))}, ${ints(pairs.map(({ to }) => to))}) as p (from_id, to_id)
    join twin_map_settings m on m.twin_id = p.from_id`.execute(tx)
}

/** States of twins that a map can show, by key; see the contract. */
export async function listMapStates(
  db: Executor,
  scopeIds: readonly number[],
  twinId: number | undefined,
): Promise<MarkedState[]> {
  const { rows } = await sql<MarkedState>`
    select f.key, mode() within group (order by f.title) as title, count(*)::int as count
    from (
      select s.key, s.title from twins t join states s on s.twin_id = t.id
      where s.scope_id = any(${ints(scopeIds)}) and not s.of_device and s.value_type <> 'json'
        and ${twinId === undefined ? sql`true` : isInTree(twinId)}
      limit ${countedMax}) as f
    group by f.key order by count(*) desc, f.key limit ${listedMax}`.execute(db)
  return rows
}
