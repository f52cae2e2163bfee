import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { renderLine, renderText } from '../../render.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { addressesOf } from './recipients.ts'
import { RuleMails } from './send.ts'

export interface EmailEffect {
  kind: 'email'
  recipients: readonly string[]
  subject: string
  body: string
}

export const email: ActionKind<EmailAction, EmailAction, EmailEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ subject, body }, { aliases }) => [
    ...checkText(subject, aliases, ['subject']),
    ...checkText(body, aliases, ['body']),
  ],
  checkStates: () => [],
  uses: () => [],
  texts: ({ subject, body }) => [subject, body],
  withStates: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  run: ({ kind, recipients, subject, body }, moment) => ({
    kind,
    recipients,
    subject: renderLine(subject, moment),
    body: renderText(body, moment),
  }),
  record: ({ kind, recipients }) => ({ kind, ok: true, detail: recipients.join(', ') }),
  create({ ctx, recipients }) {
    const mails = new RuleMails(ctx, recipients)
    return {
      saved: (tx, { caller, accountId }, actions) =>
        recipients.introduce(tx, caller, accountId, addressesOf(actions)),
      send: (tx, runs, executions) => mails.send(tx, runs, executions),
      test: {
        kind: 'email',
        send: (tx, { origin, effect }) => mails.test(tx, origin, effect as EmailEffect),
      },
    }
  },
}
