import type pg from 'pg'

/** Roll-ups: table, length, and the pending lists that make one stale. */
const levels = [
  { table: 'state_rollups_5m', length: '5 minutes', staleBy: [0], graceSeconds: 30 },
  { table: 'state_rollups_1h', length: '1 hour', staleBy: [0, 1], graceSeconds: 120 },
  { table: 'state_rollups_1d', length: '1 day', staleBy: [0, 1, 2], graceSeconds: 300 },
] as const
/** Sums of the same numbers in a different order differ in the last digits. */
const tolerance = 1e-9

const statesOf = 'select s.id from states s join twins t on t.id = s.twin_id where t.account_id = $1'

/** Stale roll-ups of this account's states; readers use the raw values there. */
const stale = `
  select state_id, start, start + (array['5 minutes', '1 hour', '1 day'])[level + 1]::interval as until, level
  from rollup_pending
  union all
  select unnest(state_ids), slot, slot + interval '5 minutes', 0 from series_changes`

/**
 * Roll-ups of an account's states that readers would use but that do not match the values. Must be none at
 * any time, even while some are pending.
 */
export async function countWrongRollups(client: pg.Client, accountId: number): Promise<number> {
  let wrong = 0
  for (const { table, length, staleBy } of levels) {
    const { rows } = await client.query<{ wrong: string }>(
      `with own as materialized (${statesOf}),
      stale as materialized (select * from (${stale}) as s where level = any($2) and state_id in (select id from own))
      select count(*) as wrong from ${table} r
      cross join lateral (
        select count(*) as total, count(num) as count, sum(num) as sum, min(num) as min, max(num) as max,
          min(time) as first_time, max(time) as last_time
        from state_values v
        where v.state_id = r.state_id and v.time >= r.start and v.time < r.start + $3::interval) as v
      where r.state_id in (select id from own)
        and not exists (select from stale s
          where s.state_id = r.state_id and s.start < r.start + $3::interval and s.until > r.start)
        and ((r.total, r.count, r.min, r.max, r.first_time, r.last_time)
            is distinct from (v.total, v.count, v.min, v.max, v.first_time, v.last_time)
          or abs(coalesce(r.sum, 0) - coalesce(v.sum, 0)) > $4 * greatest(1, abs(v.sum)))`,
      [accountId, staleBy, length, tolerance],
    )
    wrong += Number(rows[0]?.wrong)
  }
  return wrong
}

/** Whether all past intervals are rolled up. */
export async function areRollupsMade(client: pg.Client): Promise<boolean> {
  const lengths = levels.map(({ length }) => length)
  const graces = levels.map(({ graceSeconds }) => graceSeconds)
  const { rows } = await client.query<{ open: boolean }>(
    `select exists (select from series_changes) or exists (select from rollup_pending
      where start + ($1::text[])[level + 1]::interval + ($2::int[])[level + 1] * interval '1 second' <= now()) as open`,
    [lengths, graces],
  )
  return rows[0]?.open === false
}

/** Past hours and days of an account's states that have values, but no roll-up and no pending entry. */
export async function countMissingRollups(client: pg.Client, accountId: number): Promise<number> {
  let missing = 0
  for (const { table, length, staleBy, graceSeconds } of levels.slice(1)) {
    const { rows } = await client.query<{ missing: string }>(
      `with own as materialized (${statesOf}),
      stale as materialized (select * from (${stale}) as s where level = any($2) and state_id in (select id from own)),
      past as (
        select distinct state_id, date_bin($3::interval, time, timestamptz '2000-01-01 00:00+00') as start
        from state_values where state_id in (select id from own)
          and date_bin($3::interval, time, timestamptz '2000-01-01 00:00+00')
            <= now() - $3::interval - $4 * interval '1 second')
      select count(*) as missing from past p
      where not exists (select from ${table} r where r.state_id = p.state_id and r.start = p.start)
        and not exists (select from stale s
          where s.state_id = p.state_id and s.start < p.start + $3::interval and s.until > p.start)`,
      [accountId, staleBy, length, graceSeconds],
    )
    missing += Number(rows[0]?.missing)
  }
  return missing
}
