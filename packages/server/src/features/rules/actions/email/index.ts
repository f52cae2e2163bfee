import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { renderLine, renderText } from '../../render.ts'
import type { Issue } from '../../types.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { pictureOf } from './chart/index.ts'
import { addressesOf } from './recipients.ts'
import { RuleMails } from './send.ts'

export interface EmailEffect {
  kind: 'email'
  recipients: readonly string[]
  subject: string
  body: string
  /** metrics to show, for so many hours until the evaluation */
  charts?: { metrics: readonly string[]; hours: number; until: Date }
}

export const email: ActionKind<EmailAction, EmailAction, EmailEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ subject, body, charts }, { aliases, charted }) => [
    ...checkText(subject, aliases, ['subject']),
    ...checkText(body, aliases, ['body']),
    ...checkCharts(charts?.metrics ?? [], charted),
  ],
  checkStates: () => [],
  uses: () => [],
  texts: ({ subject, body }) => [subject, body],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, recipients, subject, body, charts }, moment) => ({
    kind,
    recipients,
    subject: renderLine(subject, moment),
    body: renderText(body, moment),
    ...(charts ? { charts: { ...charts, until: moment.at } } : {}),
  }),
  record: ({ kind, recipients }) => ({ kind, ok: true, detail: recipients.join(', ') }),
  create({ ctx, recipients, series }) {
    ctx.mail.drawWith((chart) => pictureOf(series, chart))
    const mails = new RuleMails(ctx, recipients)
    return {
      saved: (tx, { caller, accountId }, actions) =>
        recipients.introduce(tx, caller, accountId, addressesOf(actions)),
      send: (tx, runs, executions) => mails.send(tx, runs, executions),
      test: {
        kind: 'email',
        send: (tx, { origin, effect }, run) => mails.test(tx, origin, effect as EmailEffect, run),
      },
    }
  },
}

function checkCharts(metrics: readonly string[], charted: ReadonlySet<string>): Issue[] {
  return metrics.flatMap((alias, index): Issue[] => {
    if (charted.has(alias)) return []
    const path = ['charts', 'metrics', String(index)]
    const message = `${alias} is not a metric of one state, so that there is nothing to draw`
    return [{ path, message, text: 'chartOfNothing', params: { alias } }]
  })
}
