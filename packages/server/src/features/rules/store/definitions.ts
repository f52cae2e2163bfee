import type { Rule } from '@leitstand/contract/rules'
import type { Search } from '@leitstand/contract/search'
import type { StateSource, ValueType } from '@leitstand/contract/states'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type * as z from 'zod'
import { anyOf, type Executor, jsonb } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { recordUses, viewOf } from '../../objects/index.ts'
import { settingKinds } from '../actions/index.ts'
import { usesOfRule } from '../uses.ts'
import { type Home, isVisible, toHome } from './homes.ts'
import { forget, runPlaces, StoredDefinition } from './pipeline.ts'
import { writeTriggers } from './triggers.ts'

/** A rule with its related data, as the routes need it. */
export interface RuleRow extends z.infer<typeof StoredDefinition>, Home {
  id: number
  /** of the twin or the template */
  scopeId: number
  accountId: number
  title: string
  active: boolean
  /** does not run before */
  pausedUntil: Date | null
  throttleHours: number
  lastEvaluatedAt: Date | null
  lastFiredAt: Date | null
  lastResult: Rule['lastResult']
  version: number
}

/** The writable fields. */
export interface RuleFields extends z.infer<typeof StoredDefinition> {
  title: string
  active: boolean
  /** does not run before */
  pausedUntil: Date | null
  throttleHours: number
}

const plain = (db: Executor) =>
  db
    .selectFrom('rules')
    .leftJoin('twins', 'twins.id', 'rules.twin_id')
    .leftJoin(viewOf('deviceTemplates').as('templates'), 'templates.id', 'rules.template_id')

/** With the last evaluation and firing: of a rule that belongs elsewhere on this twin, otherwise on any. */
const base = (db: Executor, twinId?: number) =>
  plain(db).leftJoinLateral(
    (eb) =>
      eb
        .selectFrom('rule_live')
        .select(({ fn }) => [
          fn.max('last_evaluated_at').as('last_evaluated_at'),
          fn.max('last_fired_at').as('last_fired_at'),
          sql<string | null>`(array_agg(last_result order by last_evaluated_at desc nulls last))[1]`.as(
            'last_result',
          ),
        ])
        .whereRef('rule_live.rule_id', '=', 'rules.id')
        .where(
          twinId === undefined
            ? sql<SqlBool>`true`
            : sql<SqlBool>`(rules.twin_id = ${twinId} or rule_live.twin_id = ${twinId})`,
        )
        .as('live'),
    (join) => join.onTrue(),
  )

const columns = [
  'rules.id',
  'rules.twin_id',
  'twins.title as twin_title',
  'twins.category',
  sql<number>`coalesce(twins.scope_id, templates.scope_id)`.as('scope_id'),
  'templates.id as template_id',
  'templates.title as template_title',
  'rules.account_id',
  'rules.title',
  'rules.active',
  'rules.paused_until',
  'rules.triggers',
  'rules.metrics',
  'rules.conditions',
  'rules.actions',
  'rules.throttle_hours',
  'rules.execution_times as executionTimes',
  'rules.many',
  'live.last_evaluated_at',
  'live.last_fired_at',
  'live.last_result',
  'rules.version',
] as const

/** A rule of a twin in one of these scopes; `lock` locks it until the transaction ends. */
export async function findRule(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
  options: { lock?: boolean } = {},
): Promise<RuleRow | undefined> {
  let query = base(db).where('rules.id', '=', id).where(isVisible(scopeIds))
  if (options.lock) query = query.forUpdate('rules')
  const row = await query.select(columns).executeTakeFirst()
  return row && toRule(row)
}

/** Whether one of the scopes is of the account or of a twin in it. */
export async function hasScope(
  db: Executor,
  accountId: number,
  scopeIds: readonly number[],
): Promise<boolean> {
  const found = await db
    .selectFrom('scopes')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', anyOf(scopeIds))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export interface RuleFilter {
  twinId?: number | undefined
  search?: Search | null
  accountIds?: readonly number[] | undefined
  active?: boolean | undefined
  orderBy: 'title' | '-title' | 'lastEvaluatedAt' | '-lastEvaluatedAt' | 'lastFiredAt' | '-lastFiredAt'
  offset: number
  limit: number
}

const orderColumns = {
  title: sql`lower(rules.title)`,
  lastEvaluatedAt: sql`live.last_evaluated_at`,
  lastFiredAt: sql`live.last_fired_at`,
} as const

/** Rules of twins in these scopes. */
export async function listRules(
  db: Executor,
  scopeIds: readonly number[],
  filter: RuleFilter,
): Promise<{ items: RuleRow[]; total: number }> {
  const found = conditionsOf(scopeIds, filter)
  const descending = filter.orderBy.startsWith('-')
  const column = orderColumns[filter.orderBy.replace('-', '') as keyof typeof orderColumns]
  // Rules that never ran come last in both sort directions.
  const rows = await base(db, filter.twinId)
    .where(found)
    .orderBy(column, (order) => (descending ? order.desc().nullsLast() : order.asc().nullsLast()))
    .orderBy('rules.id')
    .select(columns)
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await plain(db)
    .where(found)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toRule), total }
}

function conditionsOf(scopeIds: readonly number[], filter: RuleFilter): RawBuilder<SqlBool> {
  const conditions: RawBuilder<unknown>[] = [isVisible(scopeIds)]
  if (filter.twinId !== undefined) conditions.push(isOn(filter.twinId))
  if (filter.active !== undefined) conditions.push(sql`rules.active = ${filter.active}`)
  if (filter.accountIds) conditions.push(sql`rules.account_id = ${anyOf(filter.accountIds)}`)
  if (filter.search)
    conditions.push(
      sql`${matches([sql`rules.search`, sql`twins.search`, sql`templates.search`], filter.search)}`,
    )
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

/** Rules of a twin, and rules for many that run on it or leave it out. */
function isOn(twinId: number): RawBuilder<unknown> {
  return sql`(rules.twin_id = ${twinId}
    or rules.id in (select rule_id from rule_members where twin_id = ${twinId})
    or rules.id in (select id from rules where many is not null and many -> 'except' @> ${String(twinId)}::jsonb))`
}

function toRule(row: {
  id: number
  twin_id: number | null
  twin_title: string | null
  category: string | null
  scope_id: number
  template_id: number | null
  template_title: string | null
  account_id: number
  title: string
  active: boolean
  paused_until: Date | null
  triggers: unknown
  metrics: unknown
  conditions: unknown
  actions: unknown
  throttle_hours: number
  executionTimes: unknown
  many: unknown
  last_evaluated_at: Date | null
  last_fired_at: Date | null
  last_result: string | null
  version: number
}): RuleRow {
  return {
    ...StoredDefinition.parse(row),
    id: row.id,
    ...toHome(row),
    scopeId: row.scope_id,
    accountId: row.account_id,
    title: row.title,
    active: row.active,
    pausedUntil: row.paused_until,
    throttleHours: row.throttle_hours,
    lastEvaluatedAt: row.last_evaluated_at,
    lastFiredAt: row.last_fired_at,
    lastResult: row.last_result as Rule['lastResult'],
    version: row.version,
  }
}

/** The twin that a rule will belong to, if it is in one of these scopes. */
export function findTwin(db: Executor, id: number, scopeIds: readonly number[]) {
  return db
    .selectFrom('twins')
    .select(['id', 'title', 'scope_id', 'account_id'])
    .where('id', '=', id)
    .where('scope_id', '=', anyOf(scopeIds))
    .executeTakeFirst()
}

/** What a rule belongs to: a twin, or a rule of a template. */
export type RuleHome =
  | { id: number; account_id: number }
  | { templateId: number; templateRule: string; account_id: number }

/** @returns the id @throws the database's error when the twin has a rule with this title */
export async function insertRule(
  tx: Executor,
  home: RuleHome,
  fields: RuleFields,
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('rules')
    .values({
      ...('id' in home
        ? { twin_id: home.id }
        : { template_id: home.templateId, template_rule: home.templateRule }),
      account_id: home.account_id,
      created_at: at,
      updated_at: at,
      ...toColumns(fields),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await writeReferences(tx, id, fields, at)
  return id
}

/** @returns false when the rule has changed since `version` */
export async function updateRule(
  tx: Executor,
  id: number,
  version: number,
  fields: RuleFields,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('rules')
    .set({ ...toColumns(fields), updated_at: at, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  if (!fields.active || fields.pausedUntil !== null) await forget(tx, id)
  await writeReferences(tx, id, fields, at)
  return true
}

const ownColumns = [
  'id',
  'title',
  'active',
  'paused_until',
  'triggers',
  'metrics',
  'conditions',
  'execution_times as executionTimes',
  'many',
  'actions',
  'throttle_hours',
  'version',
] as const

/** The writable fields of a rule. */
export async function findRuleFields(db: Executor, id: number): Promise<RuleFields | undefined> {
  const [rule] = await listFields(db, sql<SqlBool>`id = ${id}`)
  return rule
}

/** The rules of a twin. */
export function listRulesOf(
  db: Executor,
  twinId: number,
): Promise<(RuleFields & { id: number; version: number })[]> {
  return listFields(db, sql<SqlBool>`twin_id = ${twinId}`)
}

async function listFields(
  db: Executor,
  chosen: RawBuilder<SqlBool>,
): Promise<(RuleFields & { id: number; version: number })[]> {
  const rows = await db.selectFrom('rules').select(ownColumns).where(chosen).orderBy('id').execute()
  return rows.map(toFields)
}

function toFields(row: {
  id: number
  title: string
  active: boolean
  paused_until: Date | null
  throttle_hours: number
  version: number
}): RuleFields & { id: number; version: number } {
  return {
    ...StoredDefinition.parse(row),
    id: row.id,
    title: row.title,
    active: row.active,
    pausedUntil: row.paused_until,
    throttleHours: row.throttle_hours,
    version: row.version,
  }
}

/** Ids of the rules of a twin. */
export async function listRuleIds(db: Executor, twinId: number): Promise<number[]> {
  const rows = await db.selectFrom('rules').select('id').where('twin_id', '=', twinId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** The own rules of a twin, by title. */
export async function listOwnRules(db: Executor, twinId: number): Promise<Map<string, number>> {
  const rows = await db.selectFrom('rules').select(['id', 'title']).where('twin_id', '=', twinId).execute()
  return new Map(rows.map(({ id, title }) => [title, id]))
}

/** A rule of a template. */
export interface TemplateRuleRow extends RuleFields {
  id: number
  templateRule: string
}

/** The rules of a template that devices conform to. They stay until the end of the transaction. */
export async function holdTemplateRules(tx: Executor, templateId: number): Promise<TemplateRuleRow[]> {
  const rows = await tx
    .selectFrom('rules')
    .select([...ownColumns, 'template_rule'])
    .where('template_id', '=', templateId)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return rows.map((row) => ({ ...toFields(row), templateRule: row.template_rule ?? '' }))
}

export async function deleteRule(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('rules').where('id', '=', id).execute()
}

function toColumns(fields: RuleFields) {
  return {
    title: fields.title,
    active: fields.active,
    paused_until: fields.pausedUntil,
    throttle_hours: fields.throttleHours,
    triggers: jsonb(fields.triggers),
    metrics: jsonb(fields.metrics),
    conditions: jsonb(fields.conditions),
    actions: jsonb(fields.actions),
    execution_times: fields.executionTimes === null ? null : jsonb(fields.executionTimes),
    many: fields.many === null ? null : jsonb(fields.many),
  }
}

/** Stores which states a rule refers to, and what wakes it. */
async function writeReferences(tx: Executor, ruleId: number, fields: RuleFields, at: Date): Promise<void> {
  await recordUses(tx, 'rule', [{ id: ruleId, uses: usesOfRule(fields) }])
  await writeTriggers(tx, ruleId, fields, at)
}

/** The fields of a state that a rule needs. */
export interface RuleStateRow {
  id: number
  key: string
  title: string
  unit: string
  valueType: ValueType
  source: StateSource
  scopeId: number
  category: Rule['twinCategory']
  twinTitle: string
}

/** The states that the caller may see; others are missing. Scopes by category of the twin. */
export async function findStates(
  db: Executor,
  stateIds: readonly number[],
  scopes: { digitalTwin: readonly number[]; virtualDevice: readonly number[] },
): Promise<Map<number, RuleStateRow>> {
  const rows = await db
    .selectFrom('states')
    .innerJoin('twins', 'twins.id', 'states.twin_id')
    .select([
      'states.id',
      'states.key',
      'states.title',
      'states.unit',
      'states.value_type',
      'states.source',
      'twins.scope_id',
      'twins.category',
      'twins.title as twin_title',
    ])
    .where('states.id', '=', anyOf(stateIds))
    .where(({ eb, or, and }) =>
      or([
        and([eb('twins.category', '=', 'digitalTwin'), eb('twins.scope_id', '=', anyOf(scopes.digitalTwin))]),
        and([
          eb('twins.category', '=', 'virtualDevice'),
          eb('twins.scope_id', '=', anyOf(scopes.virtualDevice)),
        ]),
      ]),
    )
    .execute()
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        key: row.key,
        title: row.title,
        unit: row.unit,
        valueType: row.value_type as ValueType,
        source: row.source as StateSource,
        scopeId: row.scope_id,
        category: row.category as Rule['twinCategory'],
        twinTitle: row.twin_title,
      },
    ]),
  )
}

/** Whether other rules are woken by this one. */
export async function isWatched(db: Executor, ruleId: number): Promise<boolean> {
  const found = await db
    .selectFrom('rule_watches')
    .select('rule_id')
    .where('kind', '=', 'rule')
    .where('object_id', '=', ruleId)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** States and rules that wake a rule, or that it sets and starts. */
export interface LoopEnds {
  states: readonly number[]
  rules: readonly number[]
}

/**
 * Which of the things that wake a rule can be reached from what it does: from the states it sets and the rules it wakes
 * or starts, through states computed from them and through other rules. Used to prevent rules from waking each other
 * endlessly.
 * @param ruleId the rule itself, whose stored actions are ignored; null for a new one
 * @param begins the states it sets and the rules it starts
 * @param ends the states and rules that wake it
 * @returns those of `ends`, and the rule itself if another one starts it
 */
export async function findLoop(
  db: Executor,
  ruleId: number | null,
  begins: LoopEnds,
  ends: LoopEnds,
): Promise<LoopEnds> {
  const isIdle = begins.states.length === 0 && begins.rules.length === 0
  if (isIdle && ruleId === null) return { states: [], rules: [] }
  const { rows } = await sql<{ kind: string; id: number }>`
    with recursive ${reachedFrom(ruleId, begins)}
    select distinct kind, id from reached
    where kind = 'state' and id = any(${[...ends.states]}::int[])
      or kind = 'rule' and (id = any(${[...ends.rules]}::int[]) or id = ${ruleId}::int)`.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id)
  return { states: of('state'), rules: of('rule') }
}

/** The states that `findLoop` reaches; those of a rule that sets nothing and starts nothing are none. */
export async function findReached(db: Executor, ruleId: number, begins: LoopEnds): Promise<number[]> {
  if (begins.states.length === 0 && begins.rules.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive ${reachedFrom(ruleId, begins)} select distinct id from reached where kind = 'state'`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/**
 * Rules are reached on one twin, or on all of theirs (null). What they set by its key lies there.
 */
function reachedFrom(ruleId: number | null, begins: LoopEnds): RawBuilder<unknown> {
  const isOther = sql`is distinct from ${ruleId}::int`
  const actions = sql`rules r, jsonb_array_elements(r.actions) as action
        where reached.kind = 'rule' and r.id = reached.id and r.id ${isOther}`
  return sql`reached (kind, id, twin_id) as (
      (select 'state', unnest(${[...begins.states]}::int[]), null::int
      union
      select 'rule', unnest(${[...begins.rules]}::int[]), null
      union
      select 'rule', rule_id, null from rule_watches where kind = 'rule' and object_id = ${ruleId}::int)
      union
      select next.kind, next.id, next.twin_id from reached join lateral (
        select 'state' as kind, l.state_id as id, null::int as twin_id from ${viewOf('stateLinks')} l
        where reached.kind = 'state' and l.source_state_id = reached.id
        union all
        select 'rule', t.rule_id, null from rule_triggers t
        where reached.kind = 'state' and t.state_id = reached.id and t.rule_id ${isOther}
        union all
        select 'rule', i.rule_id, i.twin_id from rule_inputs i
        where reached.kind = 'state' and i.wakes and i.state_id = reached.id and i.rule_id ${isOther}
        union all
        select 'state', (action ->> 'stateId')::int, null from ${actions}
          and action ->> 'kind' = any(${settingKinds()}::text[]) and action ? 'stateId'
        union all
        select 'state', s.id, null from (select r.id, action ->> 'stateKey' as key from ${actions}
          and action ->> 'kind' = any(${settingKinds()}::text[]) and action ? 'stateKey') as named
        join ${runPlaces} p on p.rule_id = named.id and (reached.twin_id is null or p.twin_id = reached.twin_id)
        join states s on s.twin_id = p.twin_id and s.key = named.key
        union all
        select 'rule', (action ->> 'ruleId')::int, null from ${actions} and action ->> 'kind' = 'start-rule'
        union all
        select 'rule', w.rule_id, null from rule_watches w
        where reached.kind = 'rule' and w.kind = 'rule' and w.object_id = reached.id and w.rule_id ${isOther}
      ) as next on true)`
}

/** The time zone of an account, IANA. */
export async function timeZoneOf(db: Executor, accountId: number): Promise<string> {
  const row = await db
    .selectFrom('accounts')
    .select('time_zone')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return row.time_zone
}
