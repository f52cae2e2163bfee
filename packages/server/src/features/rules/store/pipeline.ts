import type { JsonValue } from '@leitstand/contract/common'
import {
  deliveryOutcomes,
  type ExecutionCause,
  ExecutionTimes,
  ManyTwins,
  Metric,
  mailOutcomes,
  RuleAction,
  RuleConditions,
  RuleTrigger,
} from '@leitstand/contract/rules'
import { sql } from 'kysely'
import * as z from 'zod'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { OvertakenError } from '../../../platform/db/passing.ts'
import type { Memory } from '../conditions/evaluate.ts'
import { standingOf } from '../standing.ts'
import type { RuleResult, RuleState, StepRule } from '../step.ts'
import type { Seen } from '../triggers/changes/changed.ts'
import { type Place, placeKey, type Woken } from '../wakes.ts'

/** A rule as the pipeline runs it, the same on all of its twins. */
export interface RuleBody extends Omit<StepRule, 'decimals' | 'twinTitle' | 'ownStates'> {
  id: number
  version: number
  accountId: number
  /** the twin it belongs to: it does not run while that is disabled; null: it is of a template */
  homeId: number | null
  /** it runs on the twins it finds, not on its own */
  isForMany: boolean
  isOfTemplate: boolean
  /** does not run before */
  pausedUntil: Date | null
  triggers: readonly RuleTrigger[]
}

/** A twin that a rule runs on. */
interface RunTwin {
  twinId: number
  twinTitle: string
  /** the states of metrics that name them by key, by alias */
  related: ReadonlyMap<string, readonly number[]>
  /** ids of states that actions name by key */
  ownStates: ReadonlyMap<string, number>
}

/** A rule as it runs on one twin. */
export interface RunRule extends RuleBody, RunTwin {}

/** The JSON columns of a rule. */
export const StoredDefinition = z.object({
  triggers: z.array(RuleTrigger),
  metrics: z.array(Metric),
  conditions: RuleConditions,
  actions: z.array(RuleAction),
  executionTimes: ExecutionTimes.nullable().default(null),
  many: ManyTwins.nullable().default(null),
})

/** The twins that rules run on, as a select of `rule_id` and `twin_id`. */
export const runPlaces = sql`(
  select rule_id, twin_id from rule_members
  union all
  select id, twin_id from rules where many is null and twin_id is not null)`

/** Two arrays of ids in the same order. */
export function columnsOf(places: readonly Place[]): { ruleIds: number[]; twinIds: number[] } {
  return { ruleIds: places.map(({ ruleId }) => ruleId), twinIds: places.map(({ twinId }) => twinId) }
}

/** The twins of these places, by key. Those that are disabled, and those the rule no longer runs on, are missing. */
export async function readRunTwins(db: Executor, places: readonly Place[]): Promise<Map<string, RunTwin>> {
  if (places.length === 0) return new Map()
  const { ruleIds, twinIds } = columnsOf(places)
  const { rows } = await sql<{
    rule_id: number
    twin_id: number
    title: string
    related: Record<string, number[]> | null
    own_states: Record<string, number> | null
  }>`
    /* prepared: rules.readRunTwins */
    select w.rule_id, w.twin_id, t.title, (
      select jsonb_object_agg(i.alias, i.ids) from (
        select alias, jsonb_agg(state_id order by state_id) as ids from rule_inputs
        where rule_id = w.rule_id and twin_id = w.twin_id group by alias) as i) as related, (
      select jsonb_object_agg(s.key, s.id) from jsonb_array_elements(r.actions) as a
      join states s on s.twin_id = w.twin_id and s.key = a ->> 'stateKey') as own_states
    from unnest(${ruleIds}::int[], ${twinIds}::int[]) as w (rule_id, twin_id)
    join rules r on r.id = w.rule_id
    join twins t on t.id = w.twin_id
    where not t.disabled and case when r.many is null then r.twin_id = w.twin_id
      else exists (select from rule_members m where m.rule_id = w.rule_id and m.twin_id = w.twin_id) end`.execute(
    db,
  )
  return new Map(
    rows.map(({ rule_id: ruleId, twin_id: twinId, title, related, own_states: ownStates }) => [
      placeKey({ ruleId, twinId }),
      {
        twinId,
        twinTitle: title,
        related: new Map(Object.entries(related ?? {})),
        ownStates: new Map(Object.entries(ownStates ?? {})),
      },
    ]),
  )
}

/**
 * Active rules whose own twins are not disabled.
 * @returns `unreadable`: ids of rules whose stored definition does not fit this version; they must not block
 * the others
 */
export async function readRunRules(
  db: Executor,
  ids: readonly number[],
): Promise<{ rules: RuleBody[]; unreadable: number[] }> {
  if (ids.length === 0) return { rules: [], unreadable: [] }
  const rows = await db
    .selectFrom('rules')
    .leftJoin('twins', 'twins.id', 'rules.twin_id')
    .innerJoin('accounts', 'accounts.id', 'rules.account_id')
    .select([
      'rules.id',
      'rules.version',
      'rules.twin_id',
      'rules.account_id',
      'rules.title',
      'rules.paused_until',
      'rules.triggers',
      'rules.metrics',
      'rules.conditions',
      'rules.actions',
      'rules.throttle_hours',
      'rules.execution_times as executionTimes',
      'rules.many',
      'accounts.time_zone',
    ])
    .where('rules.id', '=', anyOf(ids))
    .where('rules.active', '=', true)
    .where(sql<boolean>`twins.disabled is not true`)
    .execute()
  const rules: RuleBody[] = []
  const unreadable: number[] = []
  for (const row of rows) {
    const definition = StoredDefinition.safeParse(row)
    if (!definition.success) {
      unreadable.push(row.id)
      continue
    }
    rules.push({
      id: row.id,
      version: row.version,
      homeId: row.twin_id,
      isForMany: row.many !== null,
      isOfTemplate: row.twin_id === null,
      accountId: row.account_id,
      title: row.title,
      pausedUntil: row.paused_until,
      timeZone: row.time_zone,
      throttleHours: row.throttle_hours,
      ...definition.data,
    })
  }
  return { rules, unreadable }
}

/** Decimals of states; those without are missing. */
export async function readDecimals(db: Executor, stateIds: readonly number[]): Promise<Map<number, number>> {
  if (stateIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('states')
    .select(['id', 'decimals'])
    .where('id', '=', anyOf(stateIds))
    .where('decimals', 'is not', null)
    .$narrowType<{ decimals: number }>()
    .execute()
  return new Map(rows.map(({ id, decimals }) => [id, decimals]))
}

/**
 * A recorded action of an execution. `pending`: its effect is outside of the transaction and still to be
 * done.
 */
export interface RecordedAction {
  kind: string
  ok: boolean
  detail: string
  stateId?: number
  value?: JsonValue
  mails?: RecordedMail[]
  deliveries?: RecordedDelivery[]
  pending?: true
}

/** A mail that was handed to the mailer, or why none was written. */
const RecordedMail = z.union([
  z.object({ to: z.array(z.string()), mailId: z.int() }),
  z.object({ to: z.array(z.string()), unwritten: z.enum(mailOutcomes) }),
])
export type RecordedMail = z.infer<typeof RecordedMail>

/** A message that was handed to a queue, or why none was. */
const RecordedDelivery = z.union([
  z.object({ to: z.string(), deliveryId: z.int() }),
  z.object({ to: z.string(), downlinkId: z.int() }),
  z.object({ to: z.string(), unsent: z.enum(deliveryOutcomes), reason: z.string().nullable() }),
])
export type RecordedDelivery = z.infer<typeof RecordedDelivery>

const Recorded = z.array(
  z.object({
    kind: z.string(),
    ok: z.boolean(),
    detail: z.string(),
    stateId: z.int().optional(),
    value: z.json().optional(),
    mails: z.array(RecordedMail).optional(),
    deliveries: z.array(RecordedDelivery).optional(),
    pending: z.literal(true).optional(),
  }),
)

/** An evaluation that is already recorded. */
export interface KnownExecution extends Place {
  eventId: number
  at: Date
  actions: RecordedAction[]
}

/** The evaluations that an earlier attempt has recorded. */
export async function readKnown(
  db: Executor,
  wakes: readonly (Place & { eventId: number; at: Date })[],
): Promise<KnownExecution[]> {
  if (wakes.length === 0) return []
  const { ruleIds, twinIds } = columnsOf(wakes)
  const { rows } = await sql<{
    rule_id: number
    twin_id: number
    event_id: number
    at: Date
    actions: unknown
  }>`
    /* prepared: rules.readKnown */
    select e.rule_id, e.twin_id, e.event_id, e.at, e.actions
    from unnest(${ruleIds}::int[], ${twinIds}::int[], ${wakes.map(({ eventId }) => eventId)}::bigint[],
        ${wakes.map(({ at }) => at)}::timestamptz[])
      as w (rule_id, twin_id, event_id, at)
    join rule_executions e
      on e.rule_id = w.rule_id and e.twin_id = w.twin_id and e.event_id = w.event_id and e.at = w.at`.execute(
    db,
  )
  return rows.map((row) => ({
    ruleId: row.rule_id,
    twinId: row.twin_id,
    eventId: row.event_id,
    at: row.at,
    actions: Recorded.parse(row.actions) as RecordedAction[],
  }))
}

/** What a rule has stored of its last evaluation on a twin. */
export interface RuleMemory extends RuleState {
  version: number
  lastResult: RuleResult | null
  /** the event of the last evaluation */
  lastEventId: number | null
  /** values by state, of rules that follow changes */
  seen: Seen | null
}

/** Stored state of rules on twins by key, with their current version. Deleted rules are missing. */
export async function readMemory(db: Executor, places: readonly Place[]): Promise<Map<string, RuleMemory>> {
  const { ruleIds, twinIds } = columnsOf(places)
  const { rows } = await sql<{
    rule_id: number
    twin_id: number
    version: number
    last_fired_at: Date | null
    last_result: string | null
    last_event_id: number | null
    seen: Seen | null
    memory: unknown
    due_at: Date | null
  }>`
    /* prepared: rules.readMemory */
    select w.rule_id, w.twin_id, r.version, l.last_fired_at, l.last_result, l.last_event_id, l.seen,
      l.memory, l.due_at
    from unnest(${ruleIds}::int[], ${twinIds}::int[]) as w (rule_id, twin_id)
    join rules r on r.id = w.rule_id
    left join rule_live l on l.rule_id = w.rule_id and l.twin_id = w.twin_id`.execute(db)
  return new Map(
    rows.map((row) => [
      placeKey({ ruleId: row.rule_id, twinId: row.twin_id }),
      {
        version: row.version,
        lastFiredAt: row.last_fired_at,
        lastResult: row.last_result as RuleResult | null,
        lastEventId: row.last_event_id,
        seen: row.seen,
        memory: (row.memory ?? {}) as Memory,
        dueAt: row.due_at,
      },
    ]),
  )
}

/**
 * Versions of rules by place, locked until the transaction ends. Deleted rules, and twins that a rule no longer runs on, are
 * missing.
 */
export async function lockVersions(tx: Executor, places: readonly Place[]): Promise<Map<string, number>> {
  if (places.length === 0) return new Map()
  const rows = await tx
    .selectFrom('rules')
    .select(['id', 'version', 'twin_id', sql<boolean>`many is not null`.as('isForMany')])
    .where('id', '=', anyOf([...new Set(places.map(({ ruleId }) => ruleId))]))
    .orderBy('id')
    .forShare()
    .execute()
  const rules = new Map(rows.map((row) => [row.id, row]))
  const { ruleIds, twinIds } = columnsOf(places.filter(({ ruleId }) => rules.get(ruleId)?.isForMany))
  const members = new Set<string>()
  if (ruleIds.length > 0) {
    const found = await sql<{ rule_id: number; twin_id: number }>`
      select m.rule_id, m.twin_id from rule_members m
      join unnest(${ruleIds}::int[], ${twinIds}::int[]) as w (rule_id, twin_id)
        on w.rule_id = m.rule_id and w.twin_id = m.twin_id
      order by m.rule_id, m.twin_id for share of m`.execute(tx)
    for (const { rule_id: ruleId, twin_id: twinId } of found.rows) members.add(placeKey({ ruleId, twinId }))
  }
  const versions = new Map<string, number>()
  for (const place of places) {
    const rule = rules.get(place.ruleId)
    if (rule === undefined) continue
    const runs = rule.isForMany ? members.has(placeKey(place)) : rule.twin_id === place.twinId
    if (runs) versions.set(placeKey(place), rule.version)
  }
  return versions
}

export interface NewExecution extends Place {
  eventId: number
  at: Date
  result: RuleResult
  inputs: unknown
  branch: unknown
  actions: readonly RecordedAction[]
  error: string | null
  durationUs: number
  /** null: values */
  cause: ExecutionCause | null
  woken: Woken | null
}

/** Records evaluations that did something, failed or were throttled, in order. */
export async function insertExecutions(tx: Executor, rows: readonly NewExecution[]): Promise<void> {
  if (rows.length === 0) return
  const { ruleIds, twinIds } = columnsOf(rows)
  const standings = rows.map(({ actions }) => standingOf(actions, null))
  await sql`
    /* prepared: rules.insertExecutions */
    insert into rule_executions (rule_id, twin_id, event_id, at, result, inputs, branch, actions, error, duration_us, cause, woken, open, failed)
    select rule_id, twin_id, event_id, at, result, inputs::jsonb, branch::jsonb, actions::jsonb, error, duration_us, cause::jsonb, woken::jsonb,
      open, failed
    from unnest(${ruleIds}::int[], ${twinIds}::int[], ${rows.map((row) => row.eventId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.result)}::text[],
      ${rows.map((row) => JSON.stringify(row.inputs))}::text[], ${rows.map((row) => JSON.stringify(row.branch))}::text[],
      ${rows.map((row) => JSON.stringify(row.actions))}::text[], ${rows.map((row) => row.error)}::text[],
      ${rows.map((row) => row.durationUs)}::int[], ${rows.map(({ cause }) => textOrNull(cause))}::text[],
      ${rows.map(({ woken }) => textOrNull(woken))}::text[],
      ${standings.map(({ open }) => open)}::boolean[], ${standings.map(({ failed }) => failed)}::boolean[])
      with ordinality as n (rule_id, twin_id, event_id, at, result, inputs, branch, actions, error, duration_us, cause, woken, open, failed,
        position)
    order by position
    on conflict do nothing`.execute(tx)
}

/**
 * Writes evaluations that did nothing, at most one of each result per rule and twin; each replaces the previous one. Those of
 * rules and twins that were deleted meanwhile are left out.
 */
export async function writeQuiet(
  db: Executor,
  rows: readonly Omit<NewExecution, 'actions'>[],
): Promise<void> {
  if (rows.length === 0) return
  const { ruleIds, twinIds } = columnsOf(rows)
  const distinct = (ids: readonly number[]) => [...new Set(ids)]
  // Locks twins before rules, as a deletion of a twin does.
  await sql`
    /* prepared: rules.writeQuiet */
    with t as materialized (
      select id from twins where id = any(${distinct(twinIds)}::int[]) order by id for key share),
    r as materialized (
      select id from rules where id = any(${distinct(ruleIds)}::int[]) and (select count(*) from t) > 0 order by id for key share)
    insert into rule_quiet as q (rule_id, twin_id, result, event_id, at, inputs, branch, error, duration_us, cause, woken)
    select rule_id, twin_id, result, event_id, at, inputs::jsonb, branch::jsonb, error, duration_us, cause::jsonb, woken::jsonb
    from unnest(${ruleIds}::int[], ${twinIds}::int[], ${rows.map(({ result }) => result)}::text[],
      ${rows.map(({ eventId }) => eventId)}::bigint[], ${rows.map(({ at }) => at)}::timestamptz[],
      ${rows.map(({ inputs }) => JSON.stringify(inputs))}::text[], ${rows.map(({ branch }) => JSON.stringify(branch))}::text[],
      ${rows.map(({ error }) => error)}::text[], ${rows.map(({ durationUs }) => durationUs)}::int[],
      ${rows.map(({ cause }) => textOrNull(cause))}::text[], ${rows.map(({ woken }) => textOrNull(woken))}::text[])
      with ordinality
      as n (rule_id, twin_id, result, event_id, at, inputs, branch, error, duration_us, cause, woken, position)
    where twin_id in (select id from t) and rule_id in (select id from r)
    order by position
    on conflict (rule_id, twin_id, result) do update
      set id = excluded.id, event_id = excluded.event_id, at = excluded.at, inputs = excluded.inputs, branch = excluded.branch,
        error = excluded.error, duration_us = excluded.duration_us, cause = excluded.cause, woken = excluded.woken`.execute(
    db,
  )
}

const textOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Replaces the recorded actions of executions after their effects were attempted. */
export async function updateActions(db: Executor, executions: readonly KnownExecution[]): Promise<void> {
  const standings = executions.map(({ actions }) => standingOf(actions, null))
  const { ruleIds, twinIds } = columnsOf(executions)
  await sql`
    /* prepared: rules.updateActions */
    update rule_executions e set actions = n.actions::jsonb, open = n.open, failed = n.failed
    from unnest(${ruleIds}::int[], ${twinIds}::int[], ${executions.map(({ eventId }) => eventId)}::bigint[],
      ${executions.map(({ at }) => at)}::timestamptz[], ${executions.map(({ actions }) => JSON.stringify(actions))}::text[], ${standings.map(({ open }) => open)}::boolean[],
      ${standings.map(({ failed }) => failed)}::boolean[]) as n (rule_id, twin_id, event_id, at, actions, open, failed)
    where e.rule_id = n.rule_id and e.twin_id = n.twin_id and e.event_id = n.event_id and e.at = n.at`.execute(
    db,
  )
}

/**
 * Locks what rules remember until the transaction ends.
 * @param memory as it was read before
 * @throws OvertakenError when another process has evaluated one of them since
 */
export async function lockMemory(
  tx: Executor,
  places: readonly Place[],
  memory: ReadonlyMap<string, RuleMemory>,
): Promise<void> {
  const { ruleIds, twinIds } = columnsOf(places)
  const { rows } = await sql<{ rule_id: number; twin_id: number; last_event_id: number | null }>`
    /* prepared: rules.lockMemory */
    select l.rule_id, l.twin_id, l.last_event_id from rule_live l
    join unnest(${ruleIds}::int[], ${twinIds}::int[]) as w (rule_id, twin_id)
      on w.rule_id = l.rule_id and w.twin_id = l.twin_id
    order by l.rule_id, l.twin_id for update of l`.execute(tx)
  const isOther = (row: (typeof rows)[number]) => {
    const key = placeKey({ ruleId: row.rule_id, twinId: row.twin_id })
    return row.last_event_id !== (memory.get(key)?.lastEventId ?? null)
  }
  if (rows.some(isOther)) throw new OvertakenError('rules were evaluated by another process')
}

/** Records when rules were last evaluated and fired on twins, what they remember and when they are due. */
export async function updateLive(
  tx: Executor,
  entries: readonly (Place & {
    evaluatedAt: Date
    eventId: number
    state: RuleState
    result: RuleResult
    seen: Seen | null
  })[],
): Promise<void> {
  const { ruleIds, twinIds } = columnsOf(entries)
  const columns = sql`rule_id, twin_id, last_evaluated_at, last_event_id, last_fired_at, last_result, memory, due_at, seen`
  await sql`
    /* prepared: rules.updateLive */
    insert into rule_live as l (${columns})
    select rule_id, twin_id, last_evaluated_at, last_event_id, last_fired_at, last_result, memory::jsonb, due_at, seen::jsonb
    from unnest(${ruleIds}::int[], ${twinIds}::int[],
      ${entries.map((entry) => entry.evaluatedAt)}::timestamptz[], ${entries.map(({ eventId }) => eventId)}::bigint[],
      ${entries.map(({ state }) => state.lastFiredAt)}::timestamptz[],
      ${entries.map((entry) => entry.result)}::text[], ${entries.map(({ state }) => memoryText(state))}::text[],
      ${entries.map(({ state }) => state.dueAt)}::timestamptz[],
      ${entries.map(({ seen }) => (seen === null ? null : JSON.stringify(seen)))}::text[])
      as n (${columns})
    on conflict (rule_id, twin_id) do update
      set last_evaluated_at = excluded.last_evaluated_at, last_event_id = excluded.last_event_id,
        last_fired_at = excluded.last_fired_at,
        last_result = excluded.last_result, memory = excluded.memory, due_at = excluded.due_at, seen = excluded.seen`.execute(
    tx,
  )
}

/** Most rules remember nothing. */
function memoryText({ memory }: RuleState): string | null {
  return Object.keys(memory).length === 0 ? null : JSON.stringify(memory)
}

/** Rules that stop running forget: they would not know what happened in between. */
export async function forget(tx: Executor, ruleId: number): Promise<void> {
  await tx
    .updateTable('rule_live')
    .set({ memory: null, due_at: null })
    .where('rule_id', '=', ruleId)
    .execute()
}

/**
 * Deletes all but the newest `keep` executions of every rule, and of a rule for many all but the newest `keepEach` of every
 * twin. @returns how many
 */
export async function deleteOldExecutions(db: Executor, keep: number, keepEach: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with counted as (
      select e.rule_id, e.twin_id, case when r.many is null then ${keep}::int else ${keepEach}::int end as keep
      from (select rule_id, twin_id, count(*) as count from rule_executions group by 1, 2) as e
      join rules r on r.id = e.rule_id
      where e.count > case when r.many is null then ${keep}::int else ${keepEach}::int end),
    cut as (
      select c.rule_id, c.twin_id, (select id from rule_executions e where e.rule_id = c.rule_id and e.twin_id = c.twin_id
        order by id desc offset c.keep - 1 limit 1) as id
      from counted c)
    delete from rule_executions e using cut
    where e.rule_id = cut.rule_id and e.twin_id = cut.twin_id and e.id < cut.id`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
