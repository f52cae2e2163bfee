import { createHash } from 'node:crypto'
import { type PushSubscription, pushSubscriptionsMax } from '@leitstand/contract/push'
import * as z from 'zod'
import type { Context } from '../../../../platform/context.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { os } from '../../../../platform/http/implement.ts'
import { areKeys, type PushKeys } from '../../../../platform/push/encrypt.ts'
import { vapidKey } from '../../../../platform/push/vapid.ts'
import type { Secrets } from '../../../../platform/secrets.ts'
import { recordActivity } from '../../../activity/index.ts'
import { homeAccountOf, userIdOf } from '../../../people/index.ts'
import { deleteSubscription, listSubscriptions, type SubscriptionRow, saveSubscription } from './store.ts'

const Keys = z.object({ p256dh: z.string(), auth: z.string() })

/** The keys of a stored subscription. */
export function keysOf(secrets: Secrets, { keys, hash }: Pick<SubscriptionRow, 'keys' | 'hash'>): PushKeys {
  const { p256dh, auth } = Keys.parse(JSON.parse(secrets.open(keys, purposeOf(hash))))
  return { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') }
}

const purposeOf = (hash: string) => `push:${hash}`

/** Operations on the browsers of a user. */
export function pushRoutes(ctx: Context) {
  const { db, secrets, outgoing, clock } = ctx
  const note = (
    caller: Caller,
    accountId: number,
    action: 'subscribePush' | 'unsubscribePush',
    label: string,
  ) => ({
    action,
    subject: 'User',
    objectId: userIdOf(caller),
    objectTitle: caller.name,
    accountId,
    changes: { browser: label },
    isChange: false as const,
  })
  return {
    list: os.push.list.handler(async ({ context: { caller } }) => {
      const rows = await listSubscriptions(db, [userIdOf(caller)])
      const { publicKey } = await vapidKey(db, secrets)
      return { publicKey, items: rows.map(present) }
    }),
    subscribe: os.push.subscribe.handler(async ({ input, context: { caller } }) => {
      const userId = userIdOf(caller)
      const { endpoint, keys, label } = input
      const decoded = {
        p256dh: Buffer.from(keys.p256dh, 'base64url'),
        auth: Buffer.from(keys.auth, 'base64url'),
      }
      if (!areKeys(decoded)) throw new AppError('PUSH_SUBSCRIPTION_INVALID')
      // Where a browser is reached is an address that a stranger chooses; checked again at every message.
      await outgoing.addressOf(new URL(endpoint).hostname)
      const hash = createHash('sha256').update(endpoint).digest('base64url')
      const sealed = secrets.seal(JSON.stringify(keys), purposeOf(hash))
      const accountId = await homeAccountOf(db, caller)
      return db.transaction().execute(async (tx) => {
        const row = { userId, endpoint, hash, keys: sealed, label, createdAt: clock.now() }
        const saved = await saveSubscription(tx, row, pushSubscriptionsMax)
        if (saved === undefined) throw new AppError('PUSH_SUBSCRIPTIONS_MAX', { max: pushSubscriptionsMax })
        await recordActivity(tx, caller, note(caller, accountId, 'subscribePush', label))
        return present(saved)
      })
    }),
    unsubscribe: os.push.unsubscribe.handler(async ({ input: { id }, context: { caller } }) => {
      const userId = userIdOf(caller)
      const accountId = await homeAccountOf(db, caller)
      await db.transaction().execute(async (tx) => {
        const label = await deleteSubscription(tx, { id, userId })
        if (label === undefined) throw new AppError('PUSH_SUBSCRIPTION_NOT_FOUND', { id })
        await recordActivity(tx, caller, note(caller, accountId, 'unsubscribePush', label))
      })
      return { ok: true as const }
    }),
  }
}

function present({ id, label, hash, createdAt, usedAt }: SubscriptionRow): PushSubscription {
  return { id, label, hash, createdAt: createdAt.toISOString(), usedAt: usedAt?.toISOString() ?? null }
}
