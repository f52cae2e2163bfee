import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

interface Source {
  stateId: number
  /** the one in the worst condition */
  device: { id: number; title: string; health: number }
  /** devices that feed the state */
  count: number
}

/** States of a twin that are looked at. */
const statesMax = 1000

/** Devices in these scopes that feed the states of a twin, one for each state. */
export async function readSources(
  db: Executor,
  twinId: number,
  scopeIds: readonly number[],
): Promise<Source[]> {
  const { rows } = await sql<{ stateId: number; id: number; title: string; health: number; count: number }>`
    select distinct on ("stateId") *, count(*) over (partition by "stateId")::int as count
    from (
      select distinct s.id as "stateId", d.twin_id as id, d.title, v.health
      from (select id from states where twin_id = ${twinId} order by position, id limit ${statesMax}) as s
      join state_links l on l.state_id = s.id
      join states f on f.id = l.source_state_id
      join virtual_devices d on d.twin_id = f.twin_id and d.scope_id = any(${[...scopeIds]}::int[])
      join device_live v on v.twin_id = d.twin_id) as fed
    -- Error, invalid, warning, unknown, ok.
    order by "stateId", array_position('{2,4,1,3,0}'::int[], health::int), title, id`.execute(db)
  return rows.map(({ stateId, count, ...device }) => ({ stateId, device, count }))
}
