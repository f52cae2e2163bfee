import type { DeliveryOutcome } from '@leitstand/contract/rules/deliveries'
import type { Context } from '../../../../platform/context.ts'
import type { Executor } from '../../../../platform/db/index.ts'
import { guardedFetch } from '../../../../platform/net/guardedFetch.ts'
import { encryptPush, pushBytesMax } from '../../../../platform/push/encrypt.ts'
import { vapidHeader, vapidKey } from '../../../../platform/push/vapid.ts'
import type { Rate } from '../../../../platform/tokenBucket.ts'
import { type Attempt, attemptOfError, attemptOfStatus, failed } from '../../../connectors/index.ts'
import type { RecordedAction, RecordedDelivery } from '../../store/pipeline.ts'
import type { SendDelivery } from '../deliveries/queue.ts'
import type { NewDelivery } from '../deliveries/store.ts'
import { findDevices } from '../downlink/store.ts'
import { Budgets } from '../email/budgets.ts'
import { lockBudgets, saveBudgets } from '../email/store.ts'
import type { Sent } from '../sending.ts'
import type { ActionTools } from '../types.ts'
import {
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  type Reader,
  readersOf,
  type SubscriptionRow,
  touchSubscription,
} from './store.ts'
import { keysOf } from './subscriptions.ts'

const hour = 3600

/** Rate limits of messages in the browser. */
export const pushRates = {
  /** messages of one rule; each may have many recipients */
  rule: { perSecond: 60 / hour, burst: 20 },
  /** messages of all rules of an account to one user */
  user: { perSecond: 60 / hour, burst: 20 },
} as const satisfies Record<string, Rate>

/** How long a push service keeps a message for a browser that is not running. */
const keptSeconds = 24 * hour
const answerLimits = { timeoutMs: 10_000, bytesMax: 64 * 1024 } as const

/** Queues messages for the browsers of users. */
export class RulePushes {
  readonly #tools: Pick<ActionTools, 'ctx' | 'deliveries'>

  constructor(tools: Pick<ActionTools, 'ctx' | 'deliveries'>) {
    this.#tools = tools
  }

  /** @returns what an execution records of each, in the same order */
  async send(tx: Executor, sent: readonly Sent<'push'>[]): Promise<RecordedAction[]> {
    const { ctx, deliveries } = this.#tools
    const rates = new Map<string, Rate>()
    for (const { origin, effect } of sent) {
      rates.set(ruleKey(origin), pushRates.rule)
      for (const userId of effect.userIds) rates.set(userKey(origin.accountId, userId), pushRates.user)
    }
    const now = ctx.clock.now()
    const budgets = new Budgets(rates, await lockBudgets(tx, rates, now), now)
    const targets = await readTargets(tx, sent)
    const recorded: RecordedAction[] = []
    for (const each of sent) {
      const { queued, unsent } = plan(each, targets, budgets)
      const ids = await deliveries.add(
        tx,
        queued.map(({ delivery }) => delivery),
      )
      const made = queued.map(({ to }, index) => ({ to, deliveryId: ids[index] as number }))
      const isHeld = unsent.some((one) => 'unsent' in one && one.unsent !== 'impossible')
      if (isHeld) ctx.limitHits.note(each.origin.accountId, 'ruleMessages', { detail: each.origin.ruleTitle })
      recorded.push({
        kind: 'push',
        ok: unsent.length === 0,
        detail: each.effect.title,
        deliveries: [...made, ...unsent],
      })
    }
    await saveBudgets(tx, budgets.changes())
    return recorded
  }
}

/** What the messages of a batch need to know. */
interface Targets {
  /** by twin and user */
  readers: ReadonlyMap<string, Reader>
  browsers: ReadonlyMap<number, readonly SubscriptionRow[]>
  /** twins that are devices */
  devices: { has(twinId: number): boolean }
}

async function readTargets(tx: Executor, sent: readonly Sent<'push'>[]): Promise<Targets> {
  const twinIds = [...new Set(sent.map(({ origin }) => origin.twinId))]
  const userIds = [...new Set(sent.flatMap(({ effect }) => effect.userIds))]
  const readers = await readersOf(tx, twinIds, userIds, null)
  return {
    readers: new Map(readers.map((reader) => [readerKey(reader.twinId, reader.userId), reader])),
    browsers: Map.groupBy(await listSubscriptions(tx, userIds), ({ userId }) => userId),
    devices: await findDevices(tx, twinIds),
  }
}

/** Which messages are queued, and why others are not. */
function plan({ origin, effect }: Sent<'push'>, { readers, browsers, devices }: Targets, budgets: Budgets) {
  const queued: { to: string; delivery: NewDelivery }[] = []
  const unsent: RecordedDelivery[] = []
  const leave = (to: string, outcome: DeliveryOutcome, reason: string | null) =>
    unsent.push({ to, unsent: outcome, reason })
  const ruleMaySend = budgets.has(ruleKey(origin))
  for (const userId of new Set(effect.userIds)) {
    const name = readers.get(readerKey(origin.twinId, userId))?.name
    const own = browsers.get(userId) ?? []
    const key = userKey(origin.accountId, userId)
    if (name === undefined || own.length === 0) leave(name ?? '', 'impossible', 'noBrowser')
    else if (!ruleMaySend) leave(name, 'ruleLimit', null)
    else if (!budgets.has(key)) leave(name, 'targetLimit', null)
    else {
      budgets.take(key)
      for (const { id, label } of own)
        queued.push({
          to: label ? `${name} (${label})` : name,
          delivery: {
            kind: 'push',
            accountId: origin.accountId,
            connectorId: null,
            content: { subscriptionId: id, ...contentOf(origin, effect, devices.has(origin.twinId)) },
          },
        })
    }
  }
  if (queued.length > 0) budgets.take(ruleKey(origin))
  return { queued, unsent }
}

const readerKey = (twinId: number, userId: number) => `${twinId} ${userId}`

function contentOf(
  origin: Sent<'push'>['origin'],
  { title, body }: Sent<'push'>['effect'],
  isDevice: boolean,
) {
  const path = isDevice ? 'virtual-devices' : 'digitaltwin-mgmt'
  const history = origin.ruleId === null ? '' : `&history=${origin.ruleId}`
  return {
    title: origin.test ? `[Test] ${title}` : title,
    body,
    url: `/#/${path}/${origin.twinId}?tab=rules${history}`,
    // A newer message of the same rule replaces the older one on the screen.
    tag: `rule-${origin.ruleId ?? `test-${origin.twinId}`}`,
  }
}

const ruleKey = ({ ruleId, twinId }: { ruleId: number | null; twinId: number }) => `push:${ruleId ?? -twinId}`
const userKey = (accountId: number, userId: number) => `push-user:${accountId}:${userId}`

/** Makes one attempt to hand a message to the push service of a browser. */
export function sendPush(ctx: Context): SendDelivery<'push'> {
  const { db, secrets, outgoing, clock, config } = ctx
  const fetch = guardedFetch(outgoing, answerLimits)
  const contact = config.publicUrl.startsWith('https:') ? config.publicUrl : 'mailto:admin@localhost'
  return async ({ content: { subscriptionId, ...message } }, signal): Promise<Attempt> => {
    const subscription = await findSubscription(db, subscriptionId)
    if (subscription === undefined) return failed('never', 'unsubscribed')
    const { endpoint } = subscription
    const body = encryptPush(Buffer.from(textOf(message)), keysOf(secrets, subscription))
    const headers = {
      authorization: vapidHeader(await vapidKey(db, secrets), endpoint, contact, clock.now()),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(keptSeconds),
      urgency: 'high',
    }
    try {
      const { status } = await fetch(endpoint, { method: 'POST', headers, body, signal })
      if (status === 404 || status === 410) {
        await deleteSubscription(db, { id: subscriptionId })
        return failed('never', 'unsubscribed', `HTTP ${status}`)
      }
      const attempt = attemptOfStatus(status)
      if (attempt.outcome === 'taken') await touchSubscription(db, subscriptionId, clock.now())
      return attempt
    } catch (error) {
      return attemptOfError(error)
    }
  }
}

/** The message as JSON; a text that is too long for a push service is cut. */
function textOf(message: { title: string; body: string; url: string; tag: string }): string {
  let text = JSON.stringify(message)
  for (let { body } = message; Buffer.byteLength(text) > pushBytesMax && body !== ''; ) {
    body = body.slice(0, Math.floor(body.length / 2))
    text = JSON.stringify({ ...message, body: `${body}…` })
  }
  return text
}
