import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'
import { renderLine } from '../../render.ts'
import { RuleMails } from '../email/send.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { sendReminders, startEscalations } from './reminders.ts'
import { turnAlarms, turnsOf } from './turns.ts'

/** `raise` null resolves the alarm. */
export interface AlarmEffect {
  kind: 'alarm'
  raise: (Pick<AlarmAction, 'severity' | 'category'> & { message: string }) | null
}

export const alarm: ActionKind<AlarmAction, AlarmAction, AlarmEffect> = {
  isLasting: true,
  setsState: false,
  check: ({ message }, { aliases, earlier }) => [
    ...(earlier.some(({ kind }) => kind === 'alarm')
      ? [{ path: [], message: 'a rule raises one alarm' }]
      : []),
    ...checkText(message, aliases, ['message']),
  ],
  checkStates: () => [],
  uses: () => [],
  texts: ({ message }) => [message],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, severity, category, message }, moment) => ({
    kind,
    raise: moment.met ? { severity, category, message: renderLine(message, moment) } : null,
  }),
  record: ({ kind, raise }) => raise && { kind, ok: true, detail: raise.message },
  close: (tx, { alarms }, rules) => alarms.resolve(tx, rules),
  create({ ctx, alarms, recipients }) {
    const mails = new RuleMails(ctx, recipients)
    const { publicUrl } = ctx.config
    return {
      async turn(tx, runs) {
        const changes = await turnAlarms(tx, alarms, turnsOf(runs), runs)
        await startEscalations(tx, changes, runs)
        return () => alarms.announce(changes)
      },
      due: (tx, now) => sendReminders(tx, { mails, publicUrl }, now),
    }
  },
}
