import type { JsonValue } from '@leitstand/contract/common'
import type { Execution, MailOutcome } from '@leitstand/contract/rules'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import type { RecordedAction, RecordedMail } from './pipeline.ts'

export interface ExecutionFilter {
  ruleId?: number
  results?: readonly string[] | undefined
  accountIds?: readonly number[] | undefined
  offset: number
  limit: number
}

/** What became of mails by now; deleted ones are missing. */
export type MailOutcomes = (ids: readonly number[]) => Promise<
  ReadonlyMap<
    number,
    {
      status: MailOutcome['outcome']
      error: string | null
      refused?: readonly { address: string; reason: string | null }[]
    }
  >
>

/** Executions of rules of twins in these scopes, newest first. */
export async function listExecutions(
  db: Executor,
  scopeIds: readonly number[],
  filter: ExecutionFilter,
  outcomesOf: MailOutcomes,
): Promise<{ items: Execution[]; total: number }> {
  let query = db
    .selectFrom('rule_executions')
    .innerJoin('rules', 'rules.id', 'rule_executions.rule_id')
    .innerJoin('twins', 'twins.id', 'rules.twin_id')
    .where('twins.scope_id', '=', anyOf(scopeIds))
  if (filter.ruleId !== undefined) query = query.where('rule_executions.rule_id', '=', filter.ruleId)
  if (filter.results) {
    query = query.where('rule_executions.result', '=', sql<string>`any(${[...filter.results]}::text[])`)
  }
  if (filter.accountIds) query = query.where('rules.account_id', '=', anyOf(filter.accountIds))
  const rows: ExecutionRow[] = await query
    .select([
      'rule_executions.id',
      'rule_executions.rule_id',
      'rules.title as rule_title',
      'twins.id as twin_id',
      'twins.title as twin_title',
      'rule_executions.at',
      'rule_executions.result',
      'rule_executions.inputs',
      'rule_executions.branch',
      'rule_executions.actions',
      'rule_executions.error',
      'rule_executions.duration_us',
      'rule_executions.cause',
    ])
    .orderBy('rule_executions.id', 'desc')
    .offset(filter.offset)
    .limit(filter.limit)
    .execute()
  const { total } = await query
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const mailIds = rows.flatMap(({ actions }) => (actions as RecordedAction[]).flatMap(mailIdsOf))
  const outcomes = mailIds.length === 0 ? new Map() : await outcomesOf(mailIds)
  return { items: rows.map((row) => toExecution(row, outcomes)), total }
}

function mailIdsOf({ mails = [] }: RecordedAction): number[] {
  return mails.flatMap((mail) => ('mailId' in mail ? [mail.mailId] : []))
}

type Outcomes = Awaited<ReturnType<MailOutcomes>>

/** The outcome for each recipient. */
function outcomesOfMail(mail: RecordedMail, outcomes: Outcomes): MailOutcome[] {
  const known = 'mailId' in mail ? outcomes.get(mail.mailId) : { status: mail.unwritten, error: null }
  const { status: outcome, error: reason, refused = [] } = known ?? { status: 'deleted', error: null }
  return mail.to.map((address) => {
    const refusal = refused.find((each) => each.address === address)
    return refusal ? { ...refusal, outcome: 'failed' } : { address, outcome, reason }
  })
}

function toAction(
  { kind, ok, detail, mails }: RecordedAction,
  outcomes: Outcomes,
): Execution['actions'][number] {
  if (mails === undefined) return { kind, ok, detail }
  const each = mails.flatMap((mail) => outcomesOfMail(mail, outcomes))
  return { kind, ok: ok && each.every(({ outcome }) => outcome === 'sent'), detail, mails: each }
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

function toExecution(row: ExecutionRow, outcomes: Outcomes): Execution {
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
    .selectFrom('rule_executions')
    .select(['result', 'at'])
    .where('rule_id', '=', ruleId)
    .where('at', '>', since)
    .orderBy('id')
    .limit(max)
    .execute()
}
