import type { SystemFigure } from '@leitstand/contract/states'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'

/** A state of the source `system`. */
export interface FigureState {
  stateId: number
  twinId: number
  accountId: number
  figure: SystemFigure
  current: string | number | null
}

/** States with figures of the platform, of twins that are not disabled, by twin; at most `limit` after an id. */
export async function listFigureStates(
  db: Executor,
  afterTwinId: number,
  limit: number,
): Promise<FigureState[]> {
  const { rows } = await sql<FigureState>`
    select s.id as "stateId", t.id as "twinId", t.account_id as "accountId", s.source_settings ->> 'figure' as figure,
      coalesce(to_jsonb(c.num), to_jsonb(c.txt)) as current
    from ${viewOf('states')} s join ${viewOf('twins')} t on t.id = s.twin_id left join state_current c on c.state_id = s.id
    where s.source = 'system' and s.source_settings ? 'figure' and not t.disabled and t.id > ${afterTwinId}
    order by t.id, s.id limit ${limit}`.execute(db)
  return rows
}

/** What is known of the devices below a twin. */
export interface Figures {
  devices: number
  devicesWithErrors: number
  lastSeen: Date | null
  packetsPerDay: number
}

/** Figures of the devices of an account at and below a twin; packets are counted only if needed. */
export async function readFigures(
  db: Executor,
  { twinId, accountId, since }: { twinId: number; accountId: number; since: Date | null },
): Promise<Figures> {
  const packets =
    since === null
      ? sql`0`
      : sql`(select count(*) from below d cross join lateral (
        select from ${viewOf('packets')} p where p.device_id = d.id and p.received_at > ${since} offset 0) as p)`
  const { rows } = await sql<Figures>`
    with recursive below as (
      select id from twins where id = ${twinId}
      union
      select c.id from below cross join lateral (
        select id from twins where parent_id = below.id and account_id = ${accountId} offset 0) as c)
    select count(v.twin_id)::int as devices, count(*) filter (where l.health = 2)::int as "devicesWithErrors",
      max(l.last_seen) as "lastSeen", ${packets}::int as "packetsPerDay"
    from below join virtual_devices v on v.twin_id = below.id left join device_live l on l.twin_id = v.twin_id`.execute(
    db,
  )
  return rows[0] ?? { devices: 0, devicesWithErrors: 0, lastSeen: null, packetsPerDay: 0 }
}
