import type { Context } from '../../../../platform/context.ts'
import type { ConnectorsFeature } from '../../../connectors/index.ts'
import { sendPush } from '../push/send.ts'
import { DeliveryQueue } from './queue.ts'

/** The queue of everything that rules send to other systems. @param parts.ended called when outcomes are known */
export function createDeliveries(
  ctx: Context,
  { connectors, ended }: { connectors: Pick<ConnectorsFeature, 'messages'>; ended: () => void },
): DeliveryQueue {
  const { messages } = connectors
  const target = (delivery: { connectorId: number | null; accountId: number }) => ({
    connectorId: delivery.connectorId ?? 0,
    accountId: delivery.accountId,
  })
  return new DeliveryQueue(
    ctx,
    {
      webhook: (delivery, signal) =>
        messages.deliver(target(delivery), { id: delivery.correlation, ...delivery.content }, signal),
      push: sendPush(ctx),
      'connector-command': (delivery) =>
        messages.publish(target(delivery), {
          topic: delivery.content.topic,
          payload: Buffer.from(delivery.content.payload),
        }),
    },
    ended,
  )
}
