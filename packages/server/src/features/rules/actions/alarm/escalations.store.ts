import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../../platform/db/index.ts'

/** An alarm whose reminder is due. */
export interface DueReminder {
  alarmId: number
  /** reminders before this one */
  sent: number
  message: string
  raisedAt: Date
  isResolved: boolean
  isAcknowledged: boolean
  rule: { id: number; title: string; twinId: number; accountId: number }
  twinTitle: string
  timeZone: string
  /** JSON of the rule's actions */
  actions: unknown
}

export async function insertEscalations(
  tx: Executor,
  rows: readonly { alarmId: number; ruleId: number; nextAt: Date }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into rule_escalations (alarm_id, rule_id, next_at)
    select * from unnest(${rows.map(({ alarmId }) => alarmId)}::bigint[], ${rows.map(({ ruleId }) => ruleId)}::int[],
      ${rows.map(({ nextAt }) => nextAt)}::timestamptz[])
    on conflict do nothing`.execute(tx)
}

/** The reminders that are due, locked; others may take the rest at the same time. */
export async function takeDueReminders(tx: Executor, now: Date, max: number): Promise<DueReminder[]> {
  const rows = await tx
    .selectFrom('rule_escalations as e')
    .innerJoin('alarms as a', 'a.id', 'e.alarm_id')
    .innerJoin('rules as r', 'r.id', 'e.rule_id')
    .innerJoin('twins as t', 't.id', 'a.twin_id')
    .innerJoin('accounts as o', 'o.id', 'a.account_id')
    .select([
      'e.alarm_id',
      'e.sent',
      'a.message',
      'a.raised_at',
      'a.resolved_at',
      'a.acknowledged_at',
      't.id as twin_id',
      'a.account_id',
      'r.id as rule_id',
      'r.title as rule_title',
      'r.actions',
      't.title as twin_title',
      'o.time_zone',
    ])
    .where('e.next_at', '<=', now)
    // Nobody is reminded of what is set aside.
    .where(({ eb, or }) => or([eb('a.snoozed_until', 'is', null), eb('a.snoozed_until', '<=', now)]))
    .orderBy('e.next_at')
    .limit(max)
    .forUpdate('e')
    .skipLocked()
    .execute()
  return rows.map((row) => ({
    alarmId: row.alarm_id,
    sent: row.sent,
    message: row.message,
    raisedAt: row.raised_at,
    isResolved: row.resolved_at !== null,
    isAcknowledged: row.acknowledged_at !== null,
    rule: { id: row.rule_id, title: row.rule_title, twinId: row.twin_id, accountId: row.account_id },
    twinTitle: row.twin_title,
    timeZone: row.time_zone,
    actions: row.actions,
  }))
}

/** Stores when reminders are due next, after one was sent; null: there are no more. */
export async function saveReminders(
  tx: Executor,
  rows: readonly { alarmId: number; nextAt: Date | null }[],
): Promise<void> {
  const ended = rows.flatMap(({ alarmId, nextAt }) => (nextAt === null ? [alarmId] : []))
  if (ended.length > 0) await tx.deleteFrom('rule_escalations').where('alarm_id', '=', anyOf(ended)).execute()
  const next = rows.filter((row): row is { alarmId: number; nextAt: Date } => row.nextAt !== null)
  if (next.length === 0) return
  await sql`
    update rule_escalations e set next_at = n.next_at, sent = e.sent + 1
    from unnest(${next.map(({ alarmId }) => alarmId)}::bigint[], ${next.map(({ nextAt }) => nextAt)}::timestamptz[])
      as n (alarm_id, next_at)
    where e.alarm_id = n.alarm_id`.execute(tx)
}
