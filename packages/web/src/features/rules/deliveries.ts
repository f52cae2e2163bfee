import type { Delivery } from '@leitstand/contract/rules'
import i18next, { type TFunction } from 'i18next'

/** A tick means that the other side has it; everything else has its own sign. */
export const signOfDelivery = {
  sent: 'done',
  acknowledged: 'done',
  queued: 'waiting',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'failed',
  uncertain: 'unknown',
  deleted: 'unknown',
  ruleLimit: 'failed',
  targetLimit: 'failed',
  accountLimit: 'failed',
  impossible: 'failed',
} as const satisfies Record<Delivery['outcome'], string>

/** "Webhook: not sent to Control room: the address does not respond (HTTP 500)". */
export function deliverySentence(
  t: TFunction,
  kind: string,
  { to, outcome, reason, detail }: Delivery,
): string {
  const what = `${t(`rules.kinds.${kind}`)}: ${t(`rules.deliveryOutcomes.${outcome}`, { to: to === '' ? '–' : to })}`
  const why = reason === null ? '' : reasonText(t, reason)
  return [what, [why, detail].filter(Boolean).join(', ')].filter(Boolean).join(' – ')
}

/** Reasons are ours, those of downlinks, or codes of errors. */
function reasonText(t: TFunction, reason: string): string {
  const known = [
    `rules.deliveryReasons.${reason}`,
    `downlinks.reasons.${reason}`,
    `downlinks.problems.${reason}`,
    `errors.${reason}`,
  ].find((key) => i18next.exists(key))
  return known === undefined ? reason : t(known)
}
