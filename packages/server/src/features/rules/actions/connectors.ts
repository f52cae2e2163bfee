import type { RuleAction } from '@leitstand/contract/rules'
import { messageBytesMax } from '@leitstand/contract/rules/actions/webhook'
import type { DeliveryOutcome, DeliveryReason } from '@leitstand/contract/rules/deliveries'
import type { Executor } from '../../../platform/db/index.ts'
import type { Rate } from '../../../platform/tokenBucket.ts'
import type { OutgoingConnector } from '../../connectors/index.ts'
import { refuseIssues } from '../issues.ts'
import type { RecordedAction } from '../store/pipeline.ts'
import type { Issue } from '../types.ts'
import { countWaiting, type DeliveryContent, type NewDelivery } from './deliveries/store.ts'
import { Budgets } from './email/budgets.ts'
import { lockBudgets, saveBudgets } from './email/store.ts'
import { type Sent, sending } from './sending.ts'
import type { ActionRunner, ActionTools } from './types.ts'

/** Rate limits of what rules send through connectors. */
export const messageRates = {
  /** messages of one rule */
  rule: { perSecond: 1, burst: 60 },
  /** messages of all rules through one connector */
  connector: { perSecond: 5, burst: 300 },
} as const satisfies Record<string, Rate>

/** Maximum deliveries of an account that wait. */
export const waitingOfAccountMax = 2_000

/** Why something is not sent. */
type Unsent = [DeliveryOutcome, string | null]

interface Way<K extends 'webhook' | 'connector-command'> {
  kind: K
  /** whether a connector can send it */
  may(connector: OutgoingConnector): boolean
  /** `use`: the author of the rule may see the connector; `command`: the author may send commands to its devices */
  needs: 'use' | 'command'
  /** the connector of each action; null: an action of another kind */
  connectorsOf(actions: readonly RuleAction[]): (number | null)[]
  /** what is sent; null: it would be too large */
  contentOf(sent: Sent<K>): DeliveryContent[K] | null
  refusalOf?(sent: Sent<K>, connector: OutgoingConnector): DeliveryReason | null
}

/** Runs actions that send messages through connectors of the rule's account. */
export function messagesThrough<K extends 'webhook' | 'connector-command'>(
  { ctx, connectors, deliveries }: ActionTools,
  way: Way<K>,
): ActionRunner {
  const { kind } = way
  const send = async (tx: Executor, sent: readonly Sent<K>[]): Promise<RecordedAction[]> => {
    const ids = [...new Set(sent.map(({ effect }) => effect.connectorId))]
    const found = await connectors.messages.find(tx, ids)
    const accounts = [...new Set(sent.map(({ origin }) => origin.accountId))]
    const waiting = await countWaiting(tx, accounts)
    const rates = new Map<string, Rate>(ids.map((id) => [connectorKey(id), messageRates.connector]))
    for (const { origin } of sent)
      if (origin.ruleId !== null) rates.set(ruleKey(kind, origin.ruleId), messageRates.rule)
    const budgets = new Budgets(rates, await lockBudgets(tx, rates, ctx.clock.now()), ctx.clock.now())
    const queued: NewDelivery[] = []

    /** The place in `queued`, or why it is not queued. */
    const decide = (each: Sent<K>): number | Unsent => {
      const { origin, effect } = each
      const ready = readyOf(way, each, found.get(effect.connectorId))
      if (Array.isArray(ready)) return ready
      const keys = [connectorKey(ready.connectorId)]
      if (origin.ruleId !== null) keys.unshift(ruleKey(kind, origin.ruleId))
      const used = keys.find((key) => !budgets.has(key))
      if (used !== undefined)
        return [used === connectorKey(ready.connectorId) ? 'targetLimit' : 'ruleLimit', null]
      const ahead = waiting.get(origin.accountId) ?? 0
      if (ahead >= waitingOfAccountMax) return ['accountLimit', null]
      for (const key of keys) budgets.take(key)
      waiting.set(origin.accountId, ahead + 1)
      queued.push({ kind, accountId: origin.accountId, ...ready } as NewDelivery)
      return queued.length - 1
    }

    const decisions = sent.map(decide)
    const made = await deliveries.add(tx, queued)
    await saveBudgets(tx, budgets.changes())
    return sent.map(({ origin, effect }, index): RecordedAction => {
      const decision = decisions[index] as ReturnType<typeof decide>
      const to = found.get(effect.connectorId)?.name ?? ''
      const detail = effect.kind === 'connector-command' ? effect.topic : ''
      if (typeof decision === 'number')
        return { kind, ok: true, detail, deliveries: [{ to, deliveryId: made[decision] as number }] }
      const [unsent, reason] = decision
      if (isHeld(unsent)) ctx.limitHits.note(origin.accountId, 'ruleMessages', { detail: origin.ruleTitle })
      // The name of a connector of another account is not shown.
      const shown = found.get(effect.connectorId)?.accountId === origin.accountId ? to : ''
      return { kind, ok: false, detail, deliveries: [{ to: shown, unsent, reason }] }
    })
  }
  return {
    async saved(tx, { caller, accountId }, actions) {
      const named = way.connectorsOf(actions)
      const usable = await connectors.messages.usable(
        tx,
        caller,
        named.filter((id) => id !== null),
        way.needs,
      )
      refuseIssues(
        named.flatMap((id, index): Issue[] => {
          if (id === null) return []
          const path = ['actions', String(index), 'connectorId']
          const connector = usable.get(id)
          if (connector?.accountId !== accountId)
            return [
              { path, message: 'no such connector in the account of the rule', text: 'connectorForeign' },
            ]
          if (!way.may(connector))
            return [{ path, message: 'the connector cannot send this', text: 'connectorUnfit' }]
          return []
        }),
      )
    },
    send: sending(kind, send),
    committed: () => deliveries.wake(),
    test: { kind, send: async (tx, sent) => (await send(tx, [sent as Sent<K>]))[0] as RecordedAction },
  }
}

/** What is sent, or why it is not possible. */
function readyOf<K extends 'webhook' | 'connector-command'>(
  way: Way<K>,
  sent: Sent<K>,
  connector: OutgoingConnector | undefined,
): { connectorId: number; content: DeliveryContent[K] } | Unsent {
  // Checked again: the connector may be deleted, or the rule come from a template of another account.
  if (connector?.accountId !== sent.origin.accountId) return ['impossible', 'connectorDeleted']
  if (!way.may(connector)) return ['impossible', 'connectorUnfit']
  const refusal = way.refusalOf?.(sent, connector) ?? null
  if (refusal !== null) return ['impossible', refusal]
  const content = way.contentOf(sent)
  if (content === null || sizeOf(content) > messageBytesMax) return ['impossible', 'tooLarge']
  return { connectorId: connector.id, content }
}

const connectorKey = (id: number) => `connector:${id}`
const ruleKey = (kind: string, id: number) => `${kind}:${id}`

export function isHeld(outcome: DeliveryOutcome): boolean {
  return outcome === 'ruleLimit' || outcome === 'targetLimit' || outcome === 'accountLimit'
}

function sizeOf(content: object): number {
  return Object.values(content).reduce(
    (sum: number, part: unknown) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : 0),
    0,
  )
}
