import type { JsonValue } from '@leitstand/contract/common'
import { type Delivery, type Execution, type MailOutcome, remindersShown } from '@leitstand/contract/rules'
import type { Search } from '@leitstand/contract/search'
import { type NotNull, sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { matches } from '../../../platform/db/textFilter.ts'
import { handedOver, type MailState, type Outcomes, type Standing, stateOf } from '../standing.ts'
import type { RecordedAction, RecordedDelivery, RecordedMail } from './pipeline.ts'

export interface ExecutionFilter {
  ruleId?: number
  results?: readonly string[] | undefined
  accountIds?: readonly number[] | undefined
  search?: Search | null
  twinId?: number | undefined
  from?: Date | undefined
  to?: Date | undefined
  /** only those that failed, or an action of which failed */
  failed?: boolean
  offset: number
  limit: number
}

/** Executions on twins in these scopes of rules of twins in these scopes, newest first. */
export async function listExecutions(
  db: Executor,
  scopeIds: readonly number[],
  filter: ExecutionFilter,
  outcomesOf: (ids: ReturnType<typeof handedOver>) => Promise<Outcomes>,
): Promise<{ items: Execution[]; total: number }> {
  let query = db
    .selectFrom('rule_history as h')
    .innerJoin('rules', 'rules.id', 'h.rule_id')
    .innerJoin('twins', 'twins.id', 'h.twin_id')
    .leftJoin('twins as homes', 'homes.id', 'rules.twin_id')
    .where('twins.scope_id', '=', anyOf(scopeIds))
    .where(({ eb, or }) =>
      or([eb('homes.scope_id', '=', anyOf(scopeIds)), eb('rules.template_id', 'is not', null)]),
    )
  if (filter.ruleId !== undefined) query = query.where('h.rule_id', '=', filter.ruleId)
  if (filter.results) {
    query = query.where('h.result', '=', sql<string>`any(${[...filter.results]}::text[])`)
  }
  if (filter.failed) query = query.where(sql<boolean>`(h.failed or h.result = 'error')`)
  if (filter.accountIds) query = query.where('rules.account_id', '=', anyOf(filter.accountIds))
  if (filter.search) query = query.where(matches([sql`rules.search`, sql`twins.search`], filter.search))
  if (filter.twinId !== undefined) query = query.where('h.twin_id', '=', filter.twinId)
  if (filter.from) query = query.where('h.at', '>=', filter.from)
  if (filter.to) query = query.where('h.at', '<', filter.to)
  const rows: ExecutionRow[] = await query
    .select([
      'h.id',
      'h.rule_id',
      'rules.title as rule_title',
      'twins.id as twin_id',
      'twins.title as twin_title',
      'h.at',
      'h.result',
      'h.inputs',
      'h.branch',
      'h.actions',
      'h.error',
      'h.duration_us',
      'h.cause',
    ])
    .$narrowType<{
      id: NotNull
      rule_id: NotNull
      at: NotNull
      result: NotNull
      duration_us: NotNull
    }>()
    .orderBy('h.at', 'desc')
    .orderBy('h.id', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const reminders = await readReminders(db, rows)
  const sent = [...reminders.values()].flatMap(({ items }) => items.map(asAction))
  const actions = rows.flatMap((row) => row.actions as RecordedAction[])
  const outcomes = await outcomesOf(handedOver([...actions, ...sent]))
  return { items: rows.map((row) => toExecution(row, outcomes, reminders.get(row.id))), total }
}

/** Mails that reminded of an alarm, of one moment each. */
interface Reminders {
  total: number
  items: { at: Date; mails: { id: number; to: string[] }[] }[]
}

/** The newest reminders of the alarms that executions have raised, by execution: an alarm has the time of its execution. */
async function readReminders(
  db: Executor,
  executions: readonly Pick<ExecutionRow, 'id' | 'rule_id' | 'twin_id' | 'at' | 'actions'>[],
): Promise<Map<number, Reminders>> {
  const raising = executions.filter(({ actions }) =>
    (actions as RecordedAction[]).some(({ kind }) => kind === 'alarm'),
  )
  if (raising.length === 0) return new Map()
  const { rows } = await sql<{ id: number; total: number; at: Date; mails: { id: number; to: string[] }[] }>`
    select w.id, m.total, m.at, m.mails
    from unnest(${raising.map(({ id }) => id)}::bigint[], ${raising.map(({ rule_id }) => rule_id)}::int[],
      ${raising.map(({ twin_id }) => twin_id)}::int[], ${raising.map(({ at }) => at)}::timestamptz[])
      as w (id, rule_id, twin_id, at)
    join alarms a on a.rule_id = w.rule_id and a.twin_id = w.twin_id and a.raised_at = w.at
    cross join lateral (
      select min(created_at) as at, count(*) over ()::int as total,
        jsonb_agg(jsonb_build_object('id', id, 'to', recipients) order by id) as mails
      from mails where origin ? 'alarmId' and (origin ->> 'alarmId')::bigint = a.id
      group by date_trunc('second', created_at) order by 1 desc limit ${remindersShown}) as m
    order by m.at`.execute(db)
  const found = new Map<number, Reminders>()
  for (const { id, total, ...item } of rows) {
    const known = found.get(id)
    if (known === undefined) found.set(id, { total, items: [item] })
    else known.items.push(item)
  }
  return found
}

function asAction({ mails }: Reminders['items'][number]): RecordedAction {
  return { kind: 'email', ok: true, detail: '', mails: mails.map(({ id: mailId, to }) => ({ to, mailId })) }
}

function outcomeOf({ status, doubt }: MailState): MailOutcome['outcome'] {
  if (status === 'sent' && doubt === 'twice') return 'repeated'
  return status === 'failed' && doubt === 'arrived' ? 'uncertain' : status
}

/** The outcome for each recipient. */
function outcomesOfMail(mail: RecordedMail, { mails }: Outcomes): MailOutcome[] {
  const known = 'mailId' in mail ? mails.get(mail.mailId) : { status: mail.unwritten, error: null }
  const { error: reason, refused = [] } = known ?? { error: null }
  const outcome = known ? outcomeOf(known) : 'deleted'
  return mail.to.map((address) => {
    const refusal = refused.find((each) => each.address === address)
    return refusal ? { ...refusal, outcome: 'failed' } : { address, outcome, reason }
  })
}

function outcomeOfDelivery(delivery: RecordedDelivery, outcomes: Outcomes): Delivery {
  const { to } = delivery
  if ('unsent' in delivery) return { to, outcome: delivery.unsent, reason: delivery.reason, detail: '' }
  const { outcome, reason, detail } = stateOf(delivery, outcomes) ?? deleted
  return { to, outcome, reason, detail }
}

const deleted = { outcome: 'deleted', reason: null, detail: '' } as const

/** What became of an action until now. */
export function toAction(
  { kind, ok, detail, mails, deliveries }: RecordedAction,
  outcomes: Outcomes,
): Execution['actions'][number] {
  if (mails) {
    const each = mails.flatMap((mail) => outcomesOfMail(mail, outcomes))
    return { kind, ok: ok && each.every(({ outcome }) => outcome === 'sent'), detail, mails: each }
  }
  if (!deliveries) return { kind, ok, detail }
  const each = deliveries.map((delivery) => outcomeOfDelivery(delivery, outcomes))
  const hasArrived = ({ outcome }: Delivery) => outcome === 'sent' || outcome === 'acknowledged'
  return { kind, ok: ok && each.every(hasArrived), detail, deliveries: each }
}

interface ExecutionRow {
  id: number
  rule_id: number
  rule_title: string
  twin_id: number
  twin_title: string
  at: Date
  result: string
  inputs: unknown
  branch: unknown
  actions: unknown
  error: string | null
  duration_us: number
  cause: unknown
}

function toExecution(row: ExecutionRow, outcomes: Outcomes, reminders: Reminders | undefined): Execution {
  return {
    id: row.id,
    ruleId: row.rule_id,
    ruleTitle: row.rule_title,
    dtwinId: row.twin_id,
    twinTitle: row.twin_title,
    at: row.at.toISOString(),
    cause: (row.cause as Execution['cause'] | null) ?? { kind: 'values' },
    result: row.result as Execution['result'],
    inputs: row.inputs as Execution['inputs'],
    branch: row.branch as JsonValue,
    actions: (row.actions as RecordedAction[]).map((action) => toAction(action, outcomes)),
    ...(reminders && {
      reminders: {
        total: reminders.total,
        items: reminders.items.map((each) => ({
          at: each.at.toISOString(),
          mails: toAction(asAction(each), outcomes).mails ?? [],
        })),
      },
    }),
    error: row.error,
    durationUs: row.duration_us,
  }
}

/** Executions of one rule after a time, oldest first, at most `max`. */
export async function executionsSince(
  db: Executor,
  ruleId: number,
  since: Date,
  max: number,
): Promise<{ result: string; at: Date }[]> {
  return db
    .selectFrom('rule_history')
    .select(['result', 'at'])
    .where('rule_id', '=', ruleId)
    .where('at', '>', since)
    .$narrowType<{ result: NotNull; at: NotNull }>()
    .orderBy('at')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** The next executions after an id of which something is still under way. */
export async function openExecutions(
  db: Executor,
  after: number,
  max: number,
): Promise<{ id: number; actions: RecordedAction[]; failed: boolean }[]> {
  const rows = await db
    .selectFrom('rule_executions')
    .select(['id', 'actions', 'failed'])
    .where('open', '=', true)
    .where('id', '>', after)
    .orderBy('id')
    .limit(max)
    .execute()
  return rows.map(({ id, actions, failed }) => ({
    id,
    actions: actions as unknown as RecordedAction[],
    failed,
  }))
}

/** Stores how executions stand by now, unless their actions have changed since. */
export async function settleExecutions(
  db: Executor,
  changes: readonly ({ id: number; actions: readonly RecordedAction[] } & Standing)[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update rule_executions e set open = n.open, failed = n.failed
    from unnest(${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ open }) => open)}::boolean[],
      ${changes.map(({ failed }) => failed)}::boolean[], ${changes.map(({ actions }) => JSON.stringify(actions))}::text[])
      as n (id, open, failed, actions)
    where e.id = n.id and e.actions = n.actions::jsonb`.execute(db)
}
