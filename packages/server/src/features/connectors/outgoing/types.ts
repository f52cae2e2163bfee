import type { DeliveryReason } from '@leitstand/contract/rules/deliveries'

/**
 * Outcome of handing a message to another system:
 * - `taken`: it has it
 * - `again`: it does not have it, a later attempt may succeed
 * - `unknown`: it was sent, but it is not known whether it arrived
 * - `never`: it will not be accepted
 */
export type Attempt =
  | { readonly outcome: 'taken' }
  | {
      readonly outcome: 'again' | 'unknown' | 'never'
      readonly reason: DeliveryReason
      readonly detail: string
    }

export const failed = (
  outcome: 'again' | 'unknown' | 'never',
  reason: DeliveryReason,
  detail = '',
): Attempt => ({ outcome, reason, detail })
