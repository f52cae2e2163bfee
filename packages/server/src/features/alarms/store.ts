import type { Alarm } from '@leitstand/contract/alarms'
import type { Search } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { viewOf } from '../objects/index.ts'
import type { AlarmStep } from './machine.ts'

export type AlarmCategory = Alarm['category']
export type AlarmSeverity = Alarm['severity']
export type AlarmSource = Alarm['source']

/** An alarm as the pipeline sees it. */
export interface AlarmRow {
  id: number
  /** null: of a connector or the platform */
  twinId: number | null
  connectorId: number | null
  scopeId: number
  originCategory: Alarm['originCategory']
  source: AlarmSource
  ruleId: number | null
  severity: AlarmSeverity
  at: Date
  accountId: number
  category: string
  message: string
}

/** A changed alarm; published to the live feed after the commit. */
export interface AlarmChange extends AlarmRow {
  resolved: boolean
  what: AlarmStep | 'awake' | 'assigned'
  /** of `assigned`: whose task it is now, if somebody else has given it to them */
  assignedTo?: number
  /** it opened where work is done */
  isMaintained?: boolean
}

/** Where alarms are visible, by what they are about. */
export type AlarmScopes = Readonly<Record<Alarm['originCategory'], readonly number[]>>

/** Whether an alarm may be seen, in a select of alarms with twins, connectors and the root (`withOrigins`). */
export function isVisible(scopes: AlarmScopes): RawBuilder<boolean> {
  const { connector, platform } = scopes
  const ofTwins = isTwinVisible(scopes)
  // Most callers see nothing else, and their queries stay as simple as that.
  if (connector.length === 0 && platform.length === 0) return ofTwins
  return sql<boolean>`(${ofTwins}
    or (alarms.source = 'connector' and connectors.scope_id = ${anyOf(connector)})
    or (alarms.source = 'platform'
      and exists (select from scopes where scopes.account_id = alarms.account_id and scopes.id = ${anyOf(platform)})))`
}

/** Whether alarms of a twin or device may be seen, in a select of twins. */
function isTwinVisible({ virtualDevice, digitalTwin }: AlarmScopes): RawBuilder<boolean> {
  return sql<boolean>`twins.scope_id = ${anyOf(digitalTwin)}
    and (twins.category = 'digitalTwin' or twins.scope_id = ${anyOf(virtualDevice)})`
}

/**
 * The same as `isVisible` for alarms `a` alone: what may be seen is looked up once, for queries of very many alarms.
 */
export function isAmongVisible(scopes: AlarmScopes): RawBuilder<boolean> {
  const { connector, platform } = scopes
  return sql<boolean>`case
    when a.twin_id is not null then a.twin_id in (select twins.id from twins where ${isTwinVisible(scopes)})
    when a.connector_id is not null then a.connector_id in (
      select connectors.id from connectors where connectors.scope_id = ${anyOf(connector)})
    else a.account_id in (select scopes.account_id from scopes where scopes.id = ${anyOf(platform)}) end`
}

/** Alarms with what they are about. */
export function withOrigins(db: Executor) {
  return db
    .selectFrom('alarms')
    .leftJoin('twins', 'twins.id', 'alarms.twin_id')
    .leftJoin('connectors', 'connectors.id', 'alarms.connector_id')
}

/** How many comments an alarm has, in a select of alarms. */
export function commentsOf() {
  return sql<number>`(select count(*) from alarm_comments c where c.alarm_id = alarms.id)`.as('comments')
}

export interface NewAlarm {
  twinId: number
  ruleId: number
  category: AlarmCategory
  severity: AlarmSeverity
  message: string
  raisedAt: Date
}

/**
 * Opens alarms of rules that have none open on the twin; the account is that of the twin.
 * @param alarms at most one per rule and twin
 * @returns the new ones; an alarm of a deleted twin is left out
 */
export async function insertAlarms(tx: Executor, alarms: readonly NewAlarm[]): Promise<AlarmRow[]> {
  if (alarms.length === 0) return []
  const { rows } = await sql<RawAlarm>`
    with made as (
    insert into alarms (account_id, twin_id, rule_id, category, severity, message, raised_at)
    select t.account_id, t.id, a.rule_id, a.category, a.severity, a.message, a.raised_at
    from unnest(${alarms.map((alarm) => alarm.twinId)}::int[], ${alarms.map((alarm) => alarm.ruleId)}::int[],
      ${alarms.map((alarm) => alarm.category)}::text[], ${alarms.map((alarm) => alarm.severity)}::text[],
      ${alarms.map((alarm) => alarm.message)}::text[], ${alarms.map((alarm) => alarm.raisedAt)}::timestamptz[])
      as a (twin_id, rule_id, category, severity, message, raised_at)
    join twins t on t.id = a.twin_id
    -- looked up first, so that an alarm that stays open costs no number and no dead row
    where not exists (select from alarms o
      where o.rule_id = a.rule_id and o.twin_id = a.twin_id and o.resolved_at is null)
    order by a.rule_id, a.twin_id
    on conflict (rule_id, twin_id) where resolved_at is null and rule_id is not null do nothing
    returning id, twin_id, rule_id, severity, raised_at as at, account_id, category, message)
    select made.*, t.scope_id, t.category as origin_category from made join twins t on t.id = made.twin_id order by made.id`.execute(
    tx,
  )
  return rows.map(toRow)
}

/** When open alarms of a rule are resolved. */
export interface Closing {
  ruleId: number
  /** absent: on every twin */
  twinId?: number | undefined
  at: Date
}

/**
 * Closes the open alarms of rules.
 * @param closings at most one per rule and twin
 * @returns those that were open
 */
export async function closeAlarms(tx: Executor, closings: readonly Closing[]): Promise<AlarmRow[]> {
  if (closings.length === 0) return []
  // An alarm is never resolved before it was raised, even if the clocks of the two events differ.
  const { rows } = await sql<RawAlarm>`
    /* prepared: alarms.resolve */
    update alarms a set resolved_at = greatest(a.raised_at, c.at)
    from unnest(${closings.map(({ ruleId }) => ruleId)}::int[],
      ${closings.map(({ twinId }) => twinId ?? null)}::int[], ${closings.map(({ at }) => at)}::timestamptz[])
      as c (rule_id, twin_id, at), twins t
    where a.rule_id = c.rule_id and (c.twin_id is null or a.twin_id = c.twin_id) and a.resolved_at is null and t.id = a.twin_id
    returning a.id, a.twin_id, t.scope_id, a.rule_id, a.severity, a.resolved_at as at,
      a.account_id, a.category, a.message, t.category as origin_category`.execute(tx)
  return rows.map(toRow)
}

interface RawAlarm {
  id: number
  twin_id: number
  scope_id: number
  rule_id: number | null
  severity: AlarmSeverity
  at: Date
  account_id: number
  category: string
  message: string
  origin_category: Alarm['originCategory']
}

function toRow({ twin_id, scope_id, rule_id, account_id, origin_category, ...alarm }: RawAlarm): AlarmRow {
  const ids = {
    twinId: twin_id,
    connectorId: null,
    scopeId: scope_id,
    ruleId: rule_id,
    accountId: account_id,
  }
  return { ...alarm, ...ids, originCategory: origin_category, source: 'rule' }
}

/** Gives the alarms of a rule on a twin to another rule. @returns those that are open */
export async function giveAlarms(
  tx: Executor,
  { ruleId, twinId }: { ruleId: number; twinId: number },
  toRuleId: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number; open: boolean }>`
    update alarms set rule_id = ${toRuleId} where rule_id = ${ruleId} and twin_id = ${twinId}
    returning id, resolved_at is null as open`.execute(tx)
  return rows.filter(({ open }) => open).map(({ id }) => id)
}

/** Alarms as they are, for the live feed. */
export async function readChanges(db: Executor, ids: readonly number[]): Promise<AlarmChange[]> {
  if (ids.length === 0) return []
  const rows = await withOrigins(db)
    .innerJoin('scopes as own', (join) =>
      join.onRef('own.account_id', '=', 'alarms.account_id').on('own.twin_id', 'is', null),
    )
    .select([
      'alarms.id',
      'alarms.twin_id',
      'alarms.connector_id',
      'alarms.rule_id',
      'alarms.source',
      'alarms.severity',
      'alarms.account_id',
      'alarms.category',
      'alarms.message',
      'alarms.resolved_at',
      'twins.category as twin_category',
      sql<number>`coalesce(twins.scope_id, connectors.scope_id, own.id)`.as('scope_id'),
      sql<Date>`now()`.as('at'),
    ])
    .where('alarms.id', '=', anyOf(ids))
    .orderBy('alarms.id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    twinId: row.twin_id,
    connectorId: row.connector_id,
    scopeId: row.scope_id,
    originCategory: originOf(row.source, row.twin_category),
    source: row.source as AlarmSource,
    ruleId: row.rule_id,
    severity: row.severity as AlarmSeverity,
    at: row.at,
    accountId: row.account_id,
    category: row.category,
    message: row.message,
    resolved: row.resolved_at !== null,
    what: row.resolved_at === null ? 'raised' : 'resolved',
  }))
}

/** Ends the time of alarms that were set aside until now. @returns those that are still open */
export async function wakeSnoozed(tx: Executor, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; open: boolean }>`
    update alarms set snoozed_until = null, snoozed_name = null where id in (
      select id from alarms where snoozed_until <= ${now} order by snoozed_until limit ${limit}
      for update skip locked)
    returning id, resolved_at is null as open`.execute(tx)
  return rows.filter(({ open }) => open).map(({ id }) => id)
}

/** What an alarm is about. */
function originOf(source: string, twinCategory: string | null): Alarm['originCategory'] {
  return (source === 'connector' || source === 'platform' ? source : twinCategory) as Alarm['originCategory']
}

export type AlarmOrder = `${'-' | ''}${'raisedAt' | 'duration' | 'severity'}`

export interface AlarmFilter {
  search: Search | null
  accountIds?: readonly number[] | undefined
  status?: 'resolved' | 'unresolved' | undefined
  severity?: AlarmSeverity | undefined
  categories?: readonly AlarmCategory[] | undefined
  sources?: readonly AlarmSource[] | undefined
  operationalStatus?: readonly number[] | undefined
  acknowledged?: boolean | undefined
  /** whose task it is: this user's, somebody's or nobody's */
  assigned?: { to: number | null } | 'anyone' | 'nobody' | undefined
  /** set aside at the time `now` */
  snoozed?: boolean | undefined
  /** opened during maintenance that is not over */
  maintained?: boolean | undefined
  now: Date
  orderBy: AlarmOrder
  originId?: number | undefined
  ids?: readonly number[] | undefined
  /** a twin with everything below it; the way up is taken from each alarm, so only for those that are open */
  inTwinId?: number | undefined
  offset: number
  limit: number
}

/**
 * Alarms visible in these scopes, newest first; `unresolved` counts the open ones among the matches. Uses
 * the current scope of the twin, so an alarm follows a twin that is moved to a scope of its own.
 */
export async function listAlarms(
  db: Executor,
  scopes: AlarmScopes,
  filter: AlarmFilter,
): Promise<{ items: Alarm[]; total: number; unresolved: number }> {
  let query = withOrigins(db)
    .innerJoin('accounts', 'accounts.id', 'alarms.account_id')
    .leftJoin('virtual_devices as device', 'device.twin_id', 'alarms.twin_id')
    .leftJoin(viewOf('rules').as('rules'), 'rules.id', 'alarms.rule_id')
    .where(isVisible(scopes))
  if (filter.search) {
    const texts = [sql`alarms.search`, sql`twins.search`, sql`rules.search`, sql`connectors.search`]
    query = query.where(matches(texts, filter.search))
  }
  if (filter.categories)
    query = query.where(sql<boolean>`alarms.category = any(${filter.categories}::text[])`)
  if (filter.sources) query = query.where(sql<boolean>`alarms.source = any(${filter.sources}::text[])`)
  if (filter.operationalStatus)
    query = query.where(sql<boolean>`device.operational_status = any(${filter.operationalStatus}::int[])`)
  const { assigned } = filter
  if (assigned === 'anyone') query = query.where('alarms.assigned_name', 'is not', null)
  else if (assigned === 'nobody') query = query.where('alarms.assigned_name', 'is', null)
  else if (assigned) query = query.where('alarms.assigned_to', '=', assigned.to)
  if (filter.snoozed !== undefined)
    query = query.where(
      sql<boolean>`coalesce(alarms.snoozed_until > ${filter.now}, false) = ${filter.snoozed}`,
    )
  if (filter.accountIds) query = query.where('alarms.account_id', '=', anyOf(filter.accountIds))
  if (filter.status === 'resolved') query = query.where('alarms.resolved_at', 'is not', null)
  if (filter.status === 'unresolved') query = query.where('alarms.resolved_at', 'is', null)
  if (filter.severity) query = query.where('alarms.severity', '=', filter.severity)
  if (filter.acknowledged !== undefined)
    query = query.where('alarms.acknowledged_at', filter.acknowledged ? 'is not' : 'is', null)
  if (filter.inTwinId) query = query.where(isIn(filter.inTwinId, scopes))
  if (filter.ids) query = query.where('alarms.id', '=', anyOf(filter.ids))
  if (filter.originId) query = query.where('alarms.twin_id', '=', filter.originId)
  if (filter.maintained !== undefined)
    query = query.where('alarms.maintenance_id', filter.maintained ? 'is not' : 'is', null)
  const rows = await query
    .select([
      'alarms.id',
      'alarms.maintenance_id',
      'alarms.raised_at',
      'alarms.resolved_at',
      'alarms.severity',
      'alarms.category',
      'alarms.message',
      'alarms.account_id',
      'accounts.name as account_name',
      'alarms.source',
      'alarms.details',
      'alarms.occurrences',
      'alarms.last_raised_at',
      'alarms.assigned_to',
      'alarms.assigned_name',
      'alarms.snoozed_until',
      'alarms.snoozed_name',
      'alarms.connector_id',
      'device.operational_status',
      'twins.id as twin_id',
      'twins.title as twin_title',
      'twins.category as twin_category',
      'connectors.name as connector_name',
      'alarms.rule_id',
      'rules.title as rule_title',
      'alarms.acknowledged_at',
      'alarms.acknowledged_name',
      commentsOf(),
    ])
    .orderBy(sql.raw(orders[filter.orderBy]))
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const counts = await query
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      sql<number>`count(*) filter (where alarms.resolved_at is null)`.as('unresolved'),
    ])
    .executeTakeFirstOrThrow()
  return { items: rows.map((row) => toAlarm(row, filter.now)), ...counts }
}

/** An open alarm has lasted until now. */
const duration = `(coalesce(alarms.resolved_at, now()) - alarms.raised_at)`
const orders: Readonly<Record<AlarmOrder, string>> = {
  raisedAt: 'alarms.id',
  '-raisedAt': 'alarms.id desc',
  duration: `${duration}, alarms.id desc`,
  '-duration': `${duration} desc, alarms.id desc`,
  // `error` comes before `warning`
  severity: 'alarms.severity desc, alarms.id desc',
  '-severity': 'alarms.severity, alarms.id desc',
}

/** Whether the alarm's twin is this one or below it. A twin the caller may not see matches nothing. */
function isIn(twinId: number, { digitalTwin }: AlarmScopes): RawBuilder<boolean> {
  return sql<boolean>`(
    exists (select from twins top where top.id = ${twinId} and top.scope_id = ${anyOf(digitalTwin)})
    and exists (
      with recursive up as (
        select t.id, t.parent_id from twins t where t.id = alarms.twin_id
        union all
        select p.id, p.parent_id from up join twins p on p.id = up.parent_id where up.id <> ${twinId})
      select from up where up.id = ${twinId}))`
}

function toAlarm(
  row: {
    id: number
    raised_at: Date
    resolved_at: Date | null
    severity: string
    category: string
    source: string
    message: string
    details: unknown
    occurrences: number
    last_raised_at: Date | null
    account_id: number
    account_name: string
    twin_id: number | null
    twin_title: string | null
    twin_category: string | null
    connector_id: number | null
    connector_name: string | null
    operational_status: number | null
    rule_id: number | null
    rule_title: string | null
    acknowledged_at: Date | null
    acknowledged_name: string | null
    assigned_to: number | null
    assigned_name: string | null
    snoozed_until: Date | null
    snoozed_name: string | null
    maintenance_id: number | null
    comments: number
  },
  now: Date,
): Alarm {
  const { snoozed_until: until } = row
  return {
    id: row.id,
    raisedAt: row.raised_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    severity: row.severity as Alarm['severity'],
    category: row.category as Alarm['category'],
    source: row.source as Alarm['source'],
    message: row.message,
    details: row.details as Alarm['details'],
    accountId: row.account_id,
    accountName: row.account_name,
    originId: row.twin_id ?? row.connector_id,
    originTitle: row.twin_title ?? row.connector_name ?? '',
    originCategory: originOf(row.source, row.twin_category),
    operationalStatus: row.operational_status,
    occurrences: row.occurrences,
    lastRaisedAt: (row.last_raised_at ?? row.raised_at).toISOString(),
    ruleId: row.rule_id,
    ruleTitle: row.rule_title,
    acknowledged:
      row.acknowledged_at === null
        ? null
        : { at: row.acknowledged_at.toISOString(), by: row.acknowledged_name ?? '' },
    assigned: row.assigned_name === null ? null : { userId: row.assigned_to, name: row.assigned_name },
    snoozed:
      until === null || until <= now ? null : { until: until.toISOString(), by: row.snoozed_name ?? '' },
    maintained: row.maintenance_id !== null,
    comments: row.comments,
  }
}
