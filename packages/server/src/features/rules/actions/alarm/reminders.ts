import { RuleAction } from '@leitstand/contract/rules'
import type { AlarmEscalation } from '@leitstand/contract/rules/actions/alarm'
import * as z from 'zod'
import type { Executor } from '../../../../platform/db/index.ts'
import type { AlarmChange } from '../../../alarms/index.ts'
import type { RuleRun } from '../../collect.ts'
import type { RuleMails } from '../email/send.ts'
import { nextReminder, remindedAt } from './escalation.ts'
import { type DueReminder, insertEscalations, saveReminders, takeDueReminders } from './escalations.store.ts'

/** Reminders in one transaction. */
const batchMax = 200
const subjectLengthMax = 200
const minuteMs = 60_000

/** Notes the first reminders of new alarms, in the transaction that raises them. */
export async function startEscalations(
  tx: Executor,
  changes: readonly AlarmChange[],
  runs: readonly RuleRun[],
): Promise<void> {
  const plans = new Map(runs.map(({ rule }) => [rule.id, escalationOf(rule.actions)]))
  await insertEscalations(
    tx,
    changes.flatMap(({ id: alarmId, ruleId, resolved, at }) => {
      const plan = ruleId === null || resolved ? undefined : plans.get(ruleId)
      const nextAt = plan && nextReminder(plan, at, at)
      return ruleId === null || !nextAt ? [] : [{ alarmId, ruleId, nextAt }]
    }),
  )
}

/**
 * Sends the reminders that are due, in the transaction that notes the next ones: none is missed or doubled. Those that were due
 * while the server was down are one.
 * @returns how many were due
 */
export async function sendReminders(
  tx: Executor,
  { mails, publicUrl }: { mails: Pick<RuleMails, 'remind'>; publicUrl: string },
  now: Date,
): Promise<number> {
  const due = await takeDueReminders(tx, now, batchMax)
  const saved: { alarmId: number; nextAt: Date | null }[] = []
  for (const reminder of due) {
    const plan = escalationOf(z.array(RuleAction).safeParse(reminder.actions).data ?? [])
    if (plan === undefined || isOver(plan, reminder)) {
      saved.push({ alarmId: reminder.alarmId, nextAt: null })
      continue
    }
    const recipients = remindedAt(plan, reminder.raisedAt, now)
    if (recipients.length > 0)
      await mails.remind(
        tx,
        reminder.rule,
        { kind: 'email', recipients, ...reminderMail(reminder, now, publicUrl) },
        reminder.alarmId,
      )
    saved.push({ alarmId: reminder.alarmId, nextAt: nextReminder(plan, reminder.raisedAt, now) })
  }
  await saveReminders(tx, saved)
  return due.length
}

function escalationOf(actions: readonly RuleAction[]): AlarmEscalation | undefined {
  return actions.find((action) => action.kind === 'alarm')?.escalation
}

function isOver({ until }: AlarmEscalation, { isResolved, isAcknowledged }: DueReminder): boolean {
  return isResolved || (until === 'acknowledged' && isAcknowledged)
}

/** The language of recipients is unknown, as in other mails of rules that people have not written. */
function reminderMail(reminder: DueReminder, now: Date, publicUrl: string) {
  const { message, twinTitle, rule, raisedAt, timeZone, isAcknowledged } = reminder
  const since = new Intl.DateTimeFormat('de-DE', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  }).format(raisedAt)
  const minutes = Math.round((now.getTime() - raisedAt.getTime()) / minuteMs)
  return {
    subject: `Noch offen / still open: ${message}`.slice(0, subjectLengthMax),
    body: [
      message,
      '',
      `Ort / place: ${twinTitle}`,
      `Regel / rule: ${rule.title}`,
      `Seit / since: ${since} (${timeZone})`,
      '',
      `Der Alarm ist seit ${minutes} Minuten offen${isAcknowledged ? '' : ' und noch nicht quittiert'}. Das ist Erinnerung ${reminder.sent + 1}.`,
      `The alarm has been open for ${minutes} minutes${isAcknowledged ? '' : ' and nobody has acknowledged it'}. This is reminder ${reminder.sent + 1}.`,
      '',
      `${publicUrl}/#/alarm-logs?status=unresolved`,
    ].join('\n'),
  }
}
