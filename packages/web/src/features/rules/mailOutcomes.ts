import type { Delivery, MailOutcome } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { deliverySentence, signOfDelivery } from './deliveries.ts'

/** A tick means that it happened; everything else has its own sign. */
export const signOfOutcome = {
  sent: 'done',
  repeated: 'done',
  queued: 'waiting',
  failed: 'failed',
  uncertain: 'unknown',
  kept: 'failed',
  deleted: 'unknown',
  declined: 'failed',
  unconfirmed: 'failed',
  ruleLimit: 'failed',
  accountLimit: 'failed',
  recipientLimit: 'failed',
} as const satisfies Record<MailOutcome['outcome'], string>

export interface OutcomeGroup {
  outcome: MailOutcome['outcome']
  reason: string | null
  addresses: string[]
}

/** Recipients with the same outcome and reason together, in the order of the first of each. */
export function outcomeGroups(mails: readonly MailOutcome[]): OutcomeGroup[] {
  const groups = Map.groupBy(mails, ({ outcome, reason }) => `${outcome} ${reason}`)
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            outcome: first.outcome,
            reason: first.reason,
            addresses: [first, ...others].map(({ address }) => address),
          },
        ],
  )
}

/** "Not sent: there is no mail server (ada@example.org)". */
export function mailSentence(t: TFunction, { outcome, reason, addresses }: OutcomeGroup): string {
  const sentence = t(`rules.mailOutcomes.${outcome}`, { addresses: addresses.join(', ') })
  return reason === null || signOfOutcome[outcome] === 'done'
    ? sentence
    : `${sentence}. ${t('rules.mailReply', { reason })}`
}

/** What of an execution did not happen, in a line; empty when everything did. */
export function failedActions(
  t: TFunction,
  actions: readonly {
    kind: string
    ok: boolean
    detail: string
    mails?: readonly MailOutcome[] | undefined
    deliveries?: readonly Delivery[] | undefined
  }[],
): string {
  return actions
    .filter(({ ok }) => !ok)
    .flatMap(({ kind, detail, mails, deliveries }) => {
      if (deliveries)
        return deliveries
          .filter(({ outcome }) => signOfDelivery[outcome] !== 'done')
          .map((delivery) => deliverySentence(t, kind, delivery))
      if (!mails) return [detail]
      return outcomeGroups(mails)
        .filter(({ outcome }) => signOfOutcome[outcome] !== 'done')
        .map((group) => mailSentence(t, group))
    })
    .join('; ')
}
