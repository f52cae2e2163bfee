import type pg from 'pg'
import { valueKeys } from '../load/uplinks.ts'

/** A packet as stored. */
export interface StoredPacket {
  /** null: its driver failed, so there are no values to identify it */
  sequence: number | null
  /** whether each of its values is in the series of its state, at its time */
  isWhole: boolean
  receivedAt: Date
}

/** Packets of an account received at or after a time, each with whether its values are stored. */
export async function readPackets(client: pg.Client, accountId: number, from: Date): Promise<StoredPacket[]> {
  const { rows } = await client.query<{ sequence: string | null; whole: boolean; received_at: Date }>(
    `select (p.variables->>'co2')::bigint * 65536 + (p.variables->>'illuminance')::bigint as sequence,
      v.whole, p.received_at
    from packets p
    cross join lateral (
      select count(*) = cardinality($3::text[]) as whole
      from states s join state_values v on v.state_id = s.id and v.time = p.time
      where s.twin_id = p.device_id and s.key = any($3) and v.num = (p.variables->>s.key)::float8) as v
    where p.account_id = $1 and p.received_at >= $2`,
    [accountId, from, [...valueKeys]],
  )
  return rows.map(({ sequence, whole, received_at: receivedAt }) => ({
    sequence: sequence === null ? null : Number(sequence),
    isWhole: whole,
    receivedAt,
  }))
}

/** Packets that were stored after a newer one of the same device. */
export async function countOutOfOrder(client: pg.Client, deviceIds: readonly number[]): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from (
      select time, max(time) over (partition by device_id order by id rows between unbounded preceding and 1 preceding) as newest
      from packets where device_id = any($1)) as p where time < newest`,
    [deviceIds],
  )
  return Number(rows[0]?.count)
}

/** Values in the series of these devices that uplinks carry. */
export async function countValues(client: pg.Client, deviceIds: readonly number[]): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from states s join state_values v on v.state_id = s.id
    where s.twin_id = any($1) and s.key = any($2)`,
    [deviceIds, valueKeys],
  )
  return Number(rows[0]?.count)
}

export interface CurrentValue {
  twinId: number
  key: string
  timeMs: number | null
  value: number | null
}

/** Current values of the states that uplinks carry. */
export async function readCurrentOfDevices(
  client: pg.Client,
  deviceIds: readonly number[],
): Promise<CurrentValue[]> {
  const { rows } = await client.query<{
    twin_id: number
    key: string
    ms: string | null
    num: number | null
  }>(
    `select s.twin_id, s.key, extract(epoch from c.time) * 1000 as ms, c.num
    from states s left join state_current c on c.state_id = s.id
    where s.twin_id = any($1) and s.key = any($2)`,
    [deviceIds, valueKeys],
  )
  return rows.map(({ twin_id: twinId, key, ms, num }) => ({
    twinId,
    key,
    timeMs: ms === null ? null : Math.round(Number(ms)),
    value: num,
  }))
}

/** Current values by state. */
export async function readCurrent(
  client: pg.Client,
  stateIds: readonly number[],
): Promise<Map<number, { timeMs: number; value: number | null }>> {
  const { rows } = await client.query<{ state_id: number; ms: string; num: number | null }>(
    'select state_id, extract(epoch from time) * 1000 as ms, num from state_current where state_id = any($1)',
    [stateIds],
  )
  return new Map(rows.map((row) => [row.state_id, { timeMs: Math.round(Number(row.ms)), value: row.num }]))
}

/** Effects of a rule or state, counted by the temperature that caused them. */
export interface Done {
  id: number
  temperature: number
  times: number
}

/** How often rules fired since an execution. @returns also the last execution there is */
export async function readFired(
  client: pg.Client,
  ruleIds: readonly number[],
  after: number,
): Promise<{ done: Done[]; failed: number; last: number }> {
  const { rows } = await client.query<{ id: number; temperature: number; times: string }>(
    `select rule_id as id, (inputs->>'temperature')::float8 as temperature, count(*) as times
    from rule_executions where rule_id = any($1) and id > $2 and result = 'fired' group by 1, 2`,
    [ruleIds, after],
  )
  const { rows: others } = await client.query<{ failed: string; last: string | null }>(
    `select count(*) filter (where result not in ('fired', 'not_met')) as failed, max(id) as last
    from rule_executions where rule_id = any($1) and id > $2`,
    [ruleIds, after],
  )
  const last = Number(others[0]?.last ?? after)
  return { done: rows.map(toDone), failed: Number(others[0]?.failed), last }
}

/**
 * Firings of rules in the same moment as another of the same rule: what they set has the same time, and of it the last
 * one stands.
 */
export async function readSimultaneous(
  client: pg.Client,
  ruleIds: readonly number[],
  after: number,
): Promise<{ id: number; temperature: number }[]> {
  const { rows } = await client.query<{ id: number; temperature: number }>(
    `select id, temperature from (
      select rule_id as id, (inputs->>'temperature')::float8 as temperature, count(*) over (partition by rule_id, at) as fired
      from rule_executions where rule_id = any($1) and id > $2 and result = 'fired') as f where fired > 1`,
    [ruleIds, after],
  )
  return rows
}

/** How often states were set to a value. */
export async function readNotes(client: pg.Client, stateIds: readonly number[]): Promise<Done[]> {
  const { rows } = await client.query<{ id: number; temperature: number; times: string }>(
    `select state_id as id, num as temperature, count(*) as times from state_values
    where state_id = any($1) group by 1, 2`,
    [stateIds],
  )
  return rows.map(toDone)
}

/** How often rules have written a mail; its subject is the temperature. */
export async function readMails(client: pg.Client, ruleIds: readonly number[]): Promise<Done[]> {
  const { rows } = await client.query<{ id: number; temperature: number; times: string }>(
    `select (origin->>'ruleId')::int as id, replace(subject, ',', '.')::float8 as temperature, count(*) as times
    from mails where (origin->>'ruleId')::int = any($1) group by 1, 2`,
    [ruleIds],
  )
  return rows.map(toDone)
}

/** How often limits have held back the mails of a rule since an execution. */
export async function readHeld(
  client: pg.Client,
  ruleIds: readonly number[],
  after: number,
): Promise<Done[]> {
  const { rows } = await client.query<{ id: number; temperature: number; times: string }>(
    `select rule_id as id, (inputs->>'temperature')::float8 as temperature, count(*) as times
    from rule_executions cross join lateral jsonb_array_elements(actions) action
    where rule_id = any($1) and id > $2 and action->>'kind' = 'email' and action->>'detail' like 'held back%'
    group by 1, 2`,
    [ruleIds, after],
  )
  return rows.map(toDone)
}

function toDone({ id, temperature, times }: { id: number; temperature: number; times: string }): Done {
  return { id, temperature, times: Number(times) }
}

/** How many alarms rules have raised, and whether one is open. */
export async function readAlarms(
  client: pg.Client,
  ruleIds: readonly number[],
): Promise<Map<number, { raised: number; open: number }>> {
  const { rows } = await client.query<{ rule_id: number; raised: string; open: string }>(
    `select rule_id, count(*) as raised, count(*) filter (where resolved_at is null) as open
    from alarms where rule_id = any($1) group by 1`,
    [ruleIds],
  )
  return new Map(rows.map((row) => [row.rule_id, { raised: Number(row.raised), open: Number(row.open) }]))
}

/** Parked events, dead letters and pending effects. */
export async function readAside(
  client: pg.Client,
  accountId: number,
): Promise<{ parked: number; deadLetters: number; pending: number }> {
  const { rows } = await client.query<{ parked: string; letters: string; pending: string }>(
    `select (select count(*) from outbox_failures) as parked,
      (select count(*) from dead_letters where account_id = $1) as letters,
      (select count(*) from rule_executions where actions @> '[{"pending": true}]') as pending`,
    [accountId],
  )
  const [row] = rows
  return {
    parked: Number(row?.parked),
    deadLetters: Number(row?.letters),
    pending: Number(row?.pending),
  }
}
