import type { TicketType } from '@leitstand/contract/tickets'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { isVisible, namedScopes, type TicketSight } from './policy.ts'

const placesMax = 10

/** Sums of the visible tickets reported since a time. */
export async function ticketSums(
  db: Executor,
  sight: TicketSight,
  {
    since,
    accountIds,
    inTwinId,
  }: { since: Date; accountIds?: readonly number[] | undefined; inTwinId?: number | undefined },
) {
  const seen = sql`
    with recursive below as (
      select id from twins where id = ${inTwinId ?? null}::int and scope_id = ${anyOf(namedScopes(sight))}
      union all
      select child.id from below join twins child on child.parent_id = below.id),
    seen as (
      select t.type, t.twin_id, w.title, t.state, t.created_at, t.closed_at from tickets t join twins w on w.id = t.twin_id
      where ${isVisible(sight)} and (t.created_at >= ${since} or t.state < 2)
        and ${accountIds ? sql`t.account_id = ${anyOf([...accountIds])}` : sql`true`}
        and ${inTwinId === undefined ? sql`true` : sql`t.twin_id in (select id from below)`})`
  const all = await sql<{ reported: number; done: number; open: number; median: number | null }>`${seen}
    select count(*) filter (where created_at >= ${since})::int as reported,
      count(*) filter (where created_at >= ${since} and state = 2)::int as done,
      count(*) filter (where state < 2)::int as open,
      percentile_cont(0.5) within group (order by extract(epoch from closed_at - created_at))
        filter (where created_at >= ${since} and state = 2) as median
    from seen`.execute(db)
  const types = await sql<{ type: TicketType; reported: number; open: number }>`${seen}
    select type, count(*) filter (where created_at >= ${since})::int as reported,
      count(*) filter (where state < 2)::int as open
    from seen group by type order by 2 desc, 3 desc, 1`.execute(db)
  const places = await sql<{ id: number; title: string; reported: number; open: number }>`${seen}
    select twin_id as id, title, count(*) filter (where created_at >= ${since})::int as reported,
      count(*) filter (where state < 2)::int as open
    from seen group by twin_id, title order by 3 desc, 4 desc, title, twin_id limit ${placesMax}`.execute(db)
  const sums = all.rows[0] ?? { reported: 0, done: 0, open: 0, median: null }
  const { median, ...counts } = sums
  return {
    ...counts,
    medianSeconds: median === null ? null : Number(median),
    types: types.rows,
    places: places.rows,
  }
}
