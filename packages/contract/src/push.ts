import * as z from 'zod'
import { Done, Id, operation, Time } from './common.ts'

/** Maximum browsers of one user. */
export const pushSubscriptionsMax = 10

/** A browser that shows messages of rules to a user. */
export const PushSubscription = z.object({
  id: Id,
  /** what the browser calls itself */
  label: z.string(),
  /** SHA-256 of its address, base64url: a browser finds its own subscription by it */
  hash: z.string(),
  createdAt: Time,
  /** when it last took a message */
  usedAt: Time.nullable(),
})
export type PushSubscription = z.infer<typeof PushSubscription>

const Base64Url = z
  .string()
  .max(200)
  .regex(/^[\w-]+={0,2}$/)

/** Messages in the browser (Web Push). Only for the user; closed to keys and applications. */
export const push = {
  /** The key that browsers bind their subscriptions to (`applicationServerKey`), and own subscriptions. */
  list: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/push/subscriptions', tags: ['push'], summary: 'Own browsers' })
    .output(z.object({ publicKey: z.string(), items: z.array(PushSubscription) })),
  /**
   * Subscribes a browser. A browser belongs to one user: subscribing it again for another one ends the first.
   * Refused with PUSH_SUBSCRIPTION_INVALID, OUTGOING_ADDRESS_FORBIDDEN, PUSH_SUBSCRIPTIONS_MAX.
   */
  subscribe: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/push/subscriptions',
      tags: ['push'],
      summary: 'Subscribe a browser',
      successStatus: 201,
    })
    .input(
      z.object({
        endpoint: z.url({ protocol: /^https?$/ }).max(1000),
        keys: z.object({ p256dh: Base64Url, auth: Base64Url }),
        label: z.string().trim().max(200).default(''),
      }),
    )
    .output(PushSubscription),
  unsubscribe: operation
    .meta({ rule: 'session' })
    .route({
      method: 'DELETE',
      path: '/push/subscriptions/{id}',
      tags: ['push'],
      summary: 'Unsubscribe a browser',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}
