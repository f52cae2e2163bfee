import type { JsonValue } from '@leitstand/contract/common'
import type { Fault } from '@leitstand/contract/errors'
import type { Execution } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import { accountsUp } from '../../platform/db/accountTree.ts'
import type { Executor } from '../../platform/db/index.ts'
import { packetsOf, packetsPerDayRow } from '../objects/index.ts'
import type { RecordedAction, Woken } from '../rules/index.ts'
import { orderedValuesOf } from '../series/index.ts'
import type { Category } from '../twins/index.ts'

/**
 * Reads what a trace is made of. Each statement is bounded, and finds its rows by the keys that the tables have for other
 * purposes: storing packets and values costs nothing more because they can be traced.
 */

const dayMs = 24 * 3_600_000
/** A device whose clock is ahead sends values of this much later at most. */
const aheadMs = dayMs
/** How late a packet may be to be found by the time of its values. */
const lateMs = 31 * dayMs
/** Packets that are looked through for the one with a time. */
const packetsMax = 5_000
/** Packets before a packet that are looked through for one that was sent later. */
const lateLookMax = 200

export interface PacketRow {
  id: number
  deviceId: number
  deviceTitle: string
  accountId: number
  scopeId: number
  receivedAt: Date
  time: Date
  connectorId: number
  externalId: string | null
  connector: { name: string; kind: string; scopeId: number } | null
  fPort: number | null
  fCnt: number | null
  payload: string
  length: number
  encoding: 'hex' | 'json'
  meta: JsonValue
  variables: Record<string, JsonValue> | null
  error: Fault | null
  driver: { id: number; title: string; version: number | null } | null
  durationUs: number
  isLate: boolean
}

/** A message that could not be used, with its connector. */
export interface LetterRow {
  id: number
  receivedAt: Date
  identifier: string | null
  reason: string
  detail: string
  stage: 'message' | 'packet'
  attempts: number
  lastAttemptAt: Date | null
}

export interface ConnectorRow {
  id: number
  name: string
  kind: string
  accountId: number
  scopeId: number
}

export async function readConnector(db: Executor, id: number): Promise<ConnectorRow | undefined> {
  const { rows } = await sql<ConnectorRow>`
    select id, name, kind, account_id as "accountId", scope_id as "scopeId" from connectors where id = ${id}`.execute(
    db,
  )
  return rows[0]
}

export async function readLetter(
  db: Executor,
  { connectorId, letterId }: { connectorId: number; letterId: number },
): Promise<LetterRow | undefined> {
  const { rows } = await sql<LetterRow>`
    select id, received_at as "receivedAt", identifier, reason, detail,
      coalesce(meta ->> 'stage', 'message') as stage, attempts, last_attempt_at as "lastAttemptAt"
    from dead_letters where connector_id = ${connectorId} and id = ${letterId}`.execute(db)
  return rows[0]
}

/** A packet by its id; without an id, the one that was received then. */
export async function readPacket(
  db: Executor,
  wanted: { deviceId: number; receivedAt: Date; id: number | null },
  payloadMax: number,
): Promise<PacketRow | undefined> {
  const { deviceId, receivedAt, id } = wanted
  const { rows } = await sql<PacketRow>`
    select p.id, p.device_id as "deviceId", t.title as "deviceTitle", t.account_id as "accountId", t.scope_id as "scopeId",
      p.received_at as "receivedAt", p.time, p.connector_id as "connectorId", v.external_id as "externalId",
      case when c.id is not null then jsonb_build_object('name', c.name, 'kind', c.kind, 'scopeId', c.scope_id) end as connector,
      p.f_port as "fPort", p.f_cnt as "fCnt", left(p.payload, ${payloadMax}::int) as payload, length(p.payload) as length,
      p.encoding, p.meta, p.variables, p.error,
      case when r.id is not null
        then jsonb_build_object('id', r.id, 'title', r.title, 'version', p.driver_version) end as driver,
      p.duration_us as "durationUs", exists (
        select from ${packetsOf({
          device: sql`p.device_id`,
          since: sql`p.received_at - interval '1 day'`,
          before: sql`p.received_at`,
          order: 'desc',
          limit: lateLookMax,
        })} as before
        where before.time > p.time) as "isLate"
    from ${packetsOf({
      device: deviceId,
      since: receivedAt,
      before: new Date(receivedAt.getTime() + 1),
      order: 'asc',
      limit: packetsPerDayRow,
    })} p
    join twins t on t.id = p.device_id
    left join virtual_devices v on v.twin_id = t.id
    left join connectors c on c.id = p.connector_id
    left join drivers r on r.id = p.driver_id
    where p.received_at = ${receivedAt} and (${id}::bigint is null or p.id = ${id})
    order by p.id limit 1`.execute(db)
  return rows[0]
}

/** The packet of a device with a time, the first that was received. */
export async function findPacket(
  db: Executor,
  deviceId: number,
  time: Date,
): Promise<{ id: number; receivedAt: Date } | undefined> {
  const ms = time.getTime()
  const { rows } = await sql<{ id: number; receivedAt: Date }>`
    select id, received_at as "receivedAt" from (
      select id, received_at, time, 0 as turn from ${packetsOf({
        device: deviceId,
        since: time,
        before: new Date(ms + lateMs),
        order: 'asc',
        limit: packetsMax,
      })} as later
      union all
      select id, received_at, time, 1 from ${packetsOf({
        device: deviceId,
        since: new Date(ms - aheadMs),
        before: time,
        order: 'desc',
        limit: packetsMax,
      })} as earlier) as near
    where near.time = ${time} order by turn, received_at, id limit 1`.execute(db)
  return rows[0]
}

export interface StateRow {
  id: number
  twinId: number
  twinTitle: string
  twinCategory: Category
  accountId: number
  scopeId: number
  key: string
  title: string
  unit: string
  source: string
  connectorId: number | null
  identifier: string | null
  /** the time of its current value */
  currentAt: Date | null
}

const stateColumns = sql`
  s.id, s.twin_id as "twinId", t.title as "twinTitle", t.category as "twinCategory", t.account_id as "accountId",
  t.scope_id as "scopeId", s.key, s.title, s.unit, s.source, s.connector_id as "connectorId", s.identifier,
  (select time from state_current where state_id = s.id) as "currentAt"`

export async function readStates(db: Executor, ids: readonly number[]): Promise<StateRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<StateRow>`
    select ${stateColumns} from states s join twins t on t.id = s.twin_id
    where s.id = any(${[...ids]}::int[])
    order by s.id`.execute(db)
  return rows
}

/** The device at the address that a state of a twin listens to. */
export async function findDeviceAt(
  db: Executor,
  { connectorId, identifier }: Pick<StateRow, 'connectorId' | 'identifier'>,
): Promise<number | undefined> {
  if (connectorId === null || identifier === null) return undefined
  const { rows } = await sql<{ id: number }>`
    select twin_id as id from virtual_devices
    where connector_id = ${connectorId} and external_id = ${identifier}`.execute(db)
  return rows[0]?.id
}

/** The states that a packet is for: those of its device, and those of twins that listen to its address. */
export async function readFed(
  db: Executor,
  packet: Pick<PacketRow, 'deviceId' | 'connectorId' | 'externalId'>,
  max: number,
): Promise<{ id: number; variable: string; isOfDevice: boolean }[]> {
  const { rows } = await sql<{ id: number; variable: string; isOfDevice: boolean }>`
    (select id, coalesce(variable, key) as variable, true as "isOfDevice" from states
      where twin_id = ${packet.deviceId} and source = 'connector' order by position, id limit ${max})
    union all
    (select id, coalesce(variable, ''), false from states
      where connector_id = ${packet.connectorId} and identifier = ${packet.externalId} order by id limit ${max})`.execute(
    db,
  )
  return rows
}

/** A state, with a time. */
export interface Moment {
  stateId: number
  time: Date
}

export interface ValueRow extends Moment {
  value: JsonValue
}

const valueColumn = sql`coalesce(to_jsonb(v.num), to_jsonb(v.txt), to_jsonb(v.bool), v.json)`

/** For each state the first value from a time on, up to another. */
export async function firstValues(
  db: Executor,
  wanted: readonly { stateId: number; from: Date; until: Date }[],
): Promise<ValueRow[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql<ValueRow>`
    select w.state_id as "stateId", v.time, v.value
    from unnest(${wanted.map(({ stateId }) => stateId)}::int[], ${wanted.map(({ from }) => from)}::timestamptz[],
      ${wanted.map(({ until }) => until)}::timestamptz[]) as w (state_id, since, until)
    cross join lateral (
      select v.time, ${valueColumn} as value from ${orderedValuesOf(
        { state: sql`w.state_id`, since: sql`w.since`, until: sql`w.until` },
        'asc',
        1,
      )} as v) as v`.execute(db)
  return rows
}

/** For each state the last value up to a time, not before another. */
export async function lastValues(
  db: Executor,
  stateIds: readonly number[],
  until: Date,
  from: Date,
): Promise<ValueRow[]> {
  if (stateIds.length === 0) return []
  const { rows } = await sql<ValueRow>`
    select w.state_id as "stateId", v.time, v.value from unnest(${[...stateIds]}::int[]) as w (state_id)
    cross join lateral (
      select v.time, ${valueColumn} as value
      from ${orderedValuesOf({ state: sql`w.state_id`, since: from, until }, 'desc', 1)} as v) as v`.execute(
    db,
  )
  return rows
}

/** The states that are computed from these. */
export async function readDependents(
  db: Executor,
  stateIds: readonly number[],
  maxEach: number,
): Promise<{ sourceId: number; stateId: number }[]> {
  const { rows } = await sql<{ sourceId: number; stateId: number }>`
    select w.id as "sourceId", d.state_id as "stateId" from unnest(${[...stateIds]}::int[]) as w (id)
    cross join lateral (
      (select state_id from state_links where source_state_id = w.id order by state_id limit ${maxEach})
      union
      (select state_id from state_members where source_state_id = w.id order by state_id limit ${maxEach})) as d
    order by w.id, d.state_id`.execute(db)
  return rows
}

/** The states that a state is computed from, at most `max`. */
export async function readSources(db: Executor, stateId: number, max: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select source_state_id as id from (
      (select source_state_id from state_links where state_id = ${stateId} limit ${max})
      union
      (select source_state_id from state_members where state_id = ${stateId} limit ${max})) as sources
    order by 1`.execute(db)
  return rows.map(({ id }) => id)
}

/** A rule that a state wakes; `twinId` null: on all of its many twins. */
export interface WokenRule {
  stateId: number
  ruleId: number
  twinId: number | null
}

/** The rules that these states wake, as they are now. */
export async function readWokenRules(
  db: Executor,
  stateIds: readonly number[],
  maxEach: number,
): Promise<WokenRule[]> {
  const { rows } = await sql<WokenRule>`
    select w.id as "stateId", d.rule_id as "ruleId", d.twin_id as "twinId" from unnest(${[...stateIds]}::int[]) as w (id)
    cross join lateral (
      (select g.rule_id, case when r.many is null then r.twin_id end as twin_id
        from rule_triggers g join rules r on r.id = g.rule_id where g.state_id = w.id order by g.rule_id limit ${maxEach})
      union
      (select rule_id, twin_id from rule_inputs where state_id = w.id and wakes order by rule_id, twin_id limit ${maxEach})) as d
    order by w.id, d.rule_id, d.twin_id`.execute(db)
  return rows
}

/** A rule on a twin. */
export interface PlaceRow {
  ruleId: number
  ruleTitle: string
  /** of the twin it belongs to; a rule of a template belongs to none, and is seen by those who see the device */
  homeScopeId: number
  twinId: number
  twinTitle: string
  twinCategory: Category
  scopeId: number
  isOff: boolean
  lastEvaluatedAt: Date | null
}

export async function readPlaces(
  db: Executor,
  places: readonly { ruleId: number; twinId: number }[],
  now: Date,
): Promise<PlaceRow[]> {
  if (places.length === 0) return []
  const { rows } = await sql<PlaceRow>`
    select r.id as "ruleId", r.title as "ruleTitle", coalesce(h.scope_id, t.scope_id) as "homeScopeId", t.id as "twinId", t.title as "twinTitle",
      t.category as "twinCategory", t.scope_id as "scopeId",
      not r.active or coalesce(r.paused_until > ${now}, false) or coalesce(h.disabled, false) or t.disabled as "isOff",
      l.last_evaluated_at as "lastEvaluatedAt"
    from unnest(${places.map(({ ruleId }) => ruleId)}::int[], ${places.map(({ twinId }) => twinId)}::int[]) as w (rule_id, twin_id)
    join rules r on r.id = w.rule_id
    left join twins h on h.id = r.twin_id
    join twins t on t.id = w.twin_id
    left join rule_live l on l.rule_id = r.id and l.twin_id = t.id
    order by r.title, t.title, r.id, t.id`.execute(db)
  return rows
}

export interface ExecutionRow {
  id: number
  ruleId: number
  ruleTitle: string
  accountId: number
  homeScopeId: number
  twinId: number
  twinTitle: string
  twinCategory: Category
  scopeId: number
  eventId: number
  at: Date
  result: Execution['result']
  inputs: Execution['inputs']
  branch: JsonValue
  actions: RecordedAction[]
  error: string | null
  durationUs: number
  cause: Execution['cause'] | null
  woken: Woken | null
}

const executionColumns = sql`
  e.id, e.rule_id as "ruleId", r.title as "ruleTitle", r.account_id as "accountId", coalesce(h.scope_id, t.scope_id) as "homeScopeId",
  e.twin_id as "twinId", t.title as "twinTitle", t.category as "twinCategory", t.scope_id as "scopeId",
  e.event_id as "eventId", e.at, e.result, e.inputs, e.branch, e.actions, e.error, e.duration_us as "durationUs",
  e.cause, e.woken`

const executionJoins = sql`
  join rules r on r.id = e.rule_id
  left join twins h on h.id = r.twin_id
  join twins t on t.id = e.twin_id`
const executionTables = sql`rule_history e ${executionJoins}`

export async function readExecution(db: Executor, id: number): Promise<ExecutionRow | undefined> {
  const { rows } = await sql<ExecutionRow>`
    select ${executionColumns} from ${executionTables} where e.id = ${id}`.execute(db)
  return rows[0]
}

/** A time span, both ends included. */
export interface Period {
  from: Date
  until: Date
}

/**
 * Executions of these rules in a period that one of these values woke. Those of an older version of the platform, which do not
 * say what woke them, are returned if values did.
 */
export async function readWoken(
  db: Executor,
  rules: readonly Pick<WokenRule, 'ruleId' | 'twinId'>[],
  { from, until }: Period,
  values: readonly Moment[],
  max: number,
): Promise<ExecutionRow[]> {
  if (rules.length === 0) return []
  // A rule for many has very many executions, of which the key finds those on one twin.
  const places = rules.filter((each): each is { ruleId: number; twinId: number } => each.twinId !== null)
  const everywhere = rules.flatMap(({ ruleId, twinId }) => (twinId === null ? [ruleId] : []))
  const wanted = values.map(({ stateId, time }) => JSON.stringify({ values: [[stateId, time.getTime()]] }))
  const { rows } = await sql<ExecutionRow>`
    with found as (
      select x.* from (
        select distinct * from unnest(${places.map(({ ruleId }) => ruleId)}::int[], ${places.map(({ twinId }) => twinId)}::int[])
          as u (rule_id, twin_id)) as w
      join rule_history x on x.rule_id = w.rule_id and x.twin_id = w.twin_id
      union all
      select * from rule_history where rule_id = any(${[...new Set(everywhere)]}::int[]))
    select ${executionColumns} from found e ${executionJoins}
    where e.at >= ${from} and e.at <= ${until}
      and (e.woken @> any(${wanted}::jsonb[]) or (e.woken is null and e.cause is null))
    order by e.at, e.id limit ${max}`.execute(db)
  return rows
}

/** Executions of rules in a period that other rules have woken. */
export async function readWokenByRules(
  db: Executor,
  ruleIds: readonly number[],
  { from, until }: Period,
  byIds: readonly number[],
  max: number,
): Promise<ExecutionRow[]> {
  if (ruleIds.length === 0) return []
  const { rows } = await sql<ExecutionRow>`
    select ${executionColumns} from ${executionTables}
    where e.rule_id = any(${[...new Set(ruleIds)]}::int[]) and e.at >= ${from} and e.at <= ${until}
      and e.cause ->> 'kind' = 'rule' and (e.cause ->> 'ruleId')::int = any(${[...byIds]}::int[])
    order by e.at, e.id limit ${max}`.execute(db)
  return rows
}

/** The last execution of a rule in a period, on the twin if there is one. */
export async function findEarlier(
  db: Executor,
  { ruleId, twinId }: { ruleId: number; twinId: number },
  { from, until }: Period,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from rule_history where rule_id = ${ruleId} and at >= ${from} and at <= ${until}
    order by twin_id = ${twinId} desc, at desc, id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** The evaluation of a rule on a twin by an event. */
export async function findExecution(
  db: Executor,
  { ruleId, twinId, eventId }: { ruleId: number; twinId: number; eventId: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from rule_history
    where rule_id = ${ruleId} and twin_id = ${twinId} and event_id = ${eventId}`.execute(db)
  return rows[0]?.id
}

/** The execution that set a state, or had it computed: values that rules set have the time of the execution. */
export async function findSetting(db: Executor, { stateId, time }: Moment): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select e.id from rule_executions e
    where e.at = ${time} and e.actions @> jsonb_build_array(jsonb_build_object('stateId', ${stateId}::int))
    order by e.id limit 1`.execute(db)
  return rows[0]?.id
}

/** The execution of a rule on a twin that wrote a mail which does not name it. */
export async function findWriting(
  db: Executor,
  { mailId, ruleId, at }: { mailId: number; ruleId: number; at: Date },
): Promise<number | undefined> {
  const near = (ms: number) => new Date(at.getTime() + ms)
  const { rows } = await sql<{ id: number }>`
    select id from rule_executions
    where rule_id = ${ruleId} and at between ${near(-dayMs)} and ${near(60_000)}
      and actions @> jsonb_build_array(jsonb_build_object('mails',
        jsonb_build_array(jsonb_build_object('mailId', ${mailId}::bigint))))
    order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** The execution that raised an alarm. */
export async function findRaising(
  db: Executor,
  { ruleId, twinId, raisedAt }: { ruleId: number; twinId: number; raisedAt: Date },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from rule_executions
    where rule_id = ${ruleId} and twin_id = ${twinId} and at = ${raisedAt} order by id limit 1`.execute(db)
  return rows[0]?.id
}

export interface AlarmRow {
  id: number
  ruleId: number | null
  twinId: number
  twinTitle: string
  twinCategory: Category
  accountId: number
  scopeId: number
  severity: 'warning' | 'error'
  message: string
  raisedAt: Date
  resolvedAt: Date | null
}

const alarmColumns = sql`
  a.id, a.rule_id as "ruleId", a.twin_id as "twinId", t.title as "twinTitle", t.category as "twinCategory",
  a.account_id as "accountId", t.scope_id as "scopeId", a.severity, a.message, a.raised_at as "raisedAt",
  a.resolved_at as "resolvedAt"`

export async function readAlarm(db: Executor, id: number): Promise<AlarmRow | undefined> {
  const { rows } = await sql<AlarmRow>`
    select ${alarmColumns} from alarms a join twins t on t.id = a.twin_id where a.id = ${id}`.execute(db)
  return rows[0]
}

/** The alarms that executions raised or resolved: an alarm has the time of the execution. */
export async function readAlarmsOf(
  db: Executor,
  executions: readonly { ruleId: number; twinId: number; at: Date }[],
  max: number,
): Promise<AlarmRow[]> {
  if (executions.length === 0) return []
  const { rows } = await sql<AlarmRow>`
    select ${alarmColumns}
    from unnest(${executions.map(({ ruleId }) => ruleId)}::int[], ${executions.map(({ twinId }) => twinId)}::int[],
      ${executions.map(({ at }) => at)}::timestamptz[]) as w (rule_id, twin_id, at)
    join alarms a on a.rule_id = w.rule_id and a.twin_id = w.twin_id and (a.raised_at = w.at or a.resolved_at = w.at)
    join twins t on t.id = a.twin_id
    order by a.id limit ${max}`.execute(db)
  return rows
}

/** The mails that reminded of alarms. */
export async function readReminders(
  db: Executor,
  alarms: readonly AlarmRow[],
  max: number,
): Promise<{ id: number; alarmId: number; recipients: string[]; createdAt: Date }[]> {
  const [first] = [...alarms].sort((a, b) => a.raisedAt.getTime() - b.raisedAt.getTime())
  if (first === undefined) return []
  const { rows } = await sql<{ id: number; alarmId: number; recipients: string[]; createdAt: Date }>`
    select id, (origin ->> 'alarmId')::bigint as "alarmId", recipients, created_at as "createdAt" from mails
    where account_id = any(${[...new Set(alarms.map(({ accountId }) => accountId))]}::int[]) and origin ? 'ruleId'
      and created_at >= ${first.raisedAt} and (origin ->> 'alarmId')::bigint = any(${alarms.map(({ id }) => id)}::bigint[])
    order by created_at, id limit ${max}`.execute(db)
  return rows
}

export interface MailRow {
  id: number
  createdAt: Date
  origin: { ruleId?: number; twinId?: number; eventId?: number; alarmId?: number }
}

export async function readMail(db: Executor, id: number): Promise<MailRow | undefined> {
  const { rows } = await sql<MailRow>`
    select id, created_at as "createdAt", origin from mails where id = ${id}`.execute(db)
  return rows[0]
}

/** The rules that these wake by their results, and those that they start. */
export async function readStarted(db: Executor, ruleIds: readonly number[], max: number): Promise<number[]> {
  if (ruleIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    (select rule_id as id from rule_watches where kind = 'rule' and object_id = any(${[...ruleIds]}::int[]) limit ${max})
    union
    (select (a.value ->> 'ruleId')::int from rules r, jsonb_array_elements(r.actions) as a
      where r.id = any(${[...ruleIds]}::int[]) and a.value ->> 'kind' = 'start-rule' limit ${max})`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** For how many months values of an account are kept; null: as long as by default. */
export async function readMonths(db: Executor, accountId: number): Promise<number | null> {
  const { rows } = await sql<{ months: number }>`
    select a.retention_months as months from ${accountsUp(accountId)} as up join accounts a on a.id = up.id
    where a.retention_months is not null order by up.distance limit 1`.execute(db)
  return rows[0]?.months ?? null
}
