import type { DeliveryOutcome, MailOutcome } from '@leitstand/contract/rules'
import type { RecordedAction, RecordedDelivery, RecordedMail } from './store/pipeline.ts'

/** How the actions of an execution stand: whether something is still under way, and whether something failed. */
export interface Standing {
  open: boolean
  failed: boolean
}

/** What became of a message until now. */
export interface DeliveryState {
  outcome: DeliveryOutcome
  reason: string | null
  detail: string
  /** nothing more can become of it */
  isFinal: boolean
}

/** What became of mails until now. */
export interface MailState {
  status: MailOutcome['outcome']
  doubt?: 'arrived' | 'twice' | null
  error: string | null
  refused?: readonly { address: string; reason: string | null }[]
}

/** What became of everything that executions handed over, by id; what was deleted is missing. */
export interface Outcomes {
  mails: ReadonlyMap<number, MailState>
  deliveries: ReadonlyMap<number, DeliveryState>
  downlinks: ReadonlyMap<number, DeliveryState>
}

const failedOutcomes: ReadonlySet<string> = new Set<DeliveryOutcome | MailOutcome['outcome']>([
  ...(['failed', 'expired', 'cancelled', 'uncertain', 'impossible'] as const),
  ...(['kept', 'unconfirmed'] as const),
])

/**
 * What was held back by a limit, or is not wanted by its recipient, has not failed.
 * @param outcomes null: everything was handed over just now
 */
export function standingOf(actions: readonly RecordedAction[], outcomes: Outcomes | null): Standing {
  const parts = actions.flatMap((action) => partsOf(action, outcomes))
  return { open: parts.some(({ open }) => open), failed: parts.some(({ failed }) => failed) }
}

function partsOf(action: RecordedAction, outcomes: Outcomes | null): Standing[] {
  const { ok, pending, mails, deliveries } = action
  if (mails) return mails.map((mail) => ofMail(mail, outcomes))
  if (deliveries) return deliveries.map((delivery) => ofDelivery(delivery, outcomes))
  return [{ open: pending === true, failed: !ok && pending !== true }]
}

const underWay: Standing = { open: true, failed: false }

function ofMail(mail: RecordedMail, outcomes: Outcomes | null): Standing {
  if ('unwritten' in mail) return { open: false, failed: failedOutcomes.has(mail.unwritten) }
  if (outcomes === null) return underWay
  const state = outcomes.mails.get(mail.mailId)
  if (state === undefined) return { open: false, failed: false }
  const { status, refused = [] } = state
  return { open: status === 'queued', failed: failedOutcomes.has(status) || refused.length > 0 }
}

function ofDelivery(delivery: RecordedDelivery, outcomes: Outcomes | null): Standing {
  if ('unsent' in delivery) return { open: false, failed: failedOutcomes.has(delivery.unsent) }
  if (outcomes === null) return underWay
  const state = stateOf(delivery, outcomes)
  if (state === undefined) return { open: false, failed: false }
  return { open: !state.isFinal, failed: failedOutcomes.has(state.outcome) }
}

/** What became of a message that was handed over; undefined: it was deleted because of its age. */
export function stateOf(
  delivery: Exclude<RecordedDelivery, { unsent: unknown }>,
  { deliveries, downlinks }: Outcomes,
): DeliveryState | undefined {
  return 'deliveryId' in delivery ? deliveries.get(delivery.deliveryId) : downlinks.get(delivery.downlinkId)
}

/** The ids that outcomes are needed of. */
export function handedOver(actions: readonly RecordedAction[]): {
  mails: number[]
  deliveries: number[]
  downlinks: number[]
} {
  const deliveries = actions.flatMap((action) => action.deliveries ?? [])
  return {
    mails: actions.flatMap(({ mails = [] }) =>
      mails.flatMap((mail) => ('mailId' in mail ? [mail.mailId] : [])),
    ),
    deliveries: deliveries.flatMap((each) => ('deliveryId' in each ? [each.deliveryId] : [])),
    downlinks: deliveries.flatMap((each) => ('downlinkId' in each ? [each.downlinkId] : [])),
  }
}
