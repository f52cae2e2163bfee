import type { ConnectorState } from '@leitstand/contract/bridge'
import type { ConnectorKind } from '@leitstand/contract/connectors/kinds/index'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { RunningKinds } from '../kinds/index.ts'
import type { OutgoingMessage } from '../kinds/types.ts'
import { settingsOf } from '../sealing.ts'
import { readConnectors, visibleOf } from '../store/connectors.ts'
import type { StoredSettings } from '../types.ts'
import { type Attempt, failed } from './types.ts'

/** What rules can do with a connector. */
export interface OutgoingConnector {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly delivers: boolean
  readonly publishes: boolean
  /** whether a topic may be published to */
  mayPublish(topic: string): boolean
}

interface Reports {
  report(id: number, state: ConnectorState, message: string): void
}

/** Sends messages of rules through connectors. */
export class MessageSender {
  readonly #ctx: Pick<Context, 'db' | 'secrets'>
  readonly #running: RunningKinds
  readonly #reports: Reports

  constructor(ctx: Pick<Context, 'db' | 'secrets'>, running: RunningKinds, reports: Reports) {
    this.#ctx = ctx
    this.#running = running
    this.#reports = reports
  }

  /** What rules can do with connectors, by id; deleted ones are missing. */
  async find(db: Executor, ids: readonly number[]): Promise<Map<number, OutgoingConnector>> {
    if (ids.length === 0) return new Map()
    const rows = await readConnectors(db, ids)
    return new Map(
      rows.map(({ id, accountId, name, kind, settings }) => {
        const { deliver, publish } = this.#running.of(kind)
        const found: OutgoingConnector = {
          id,
          accountId,
          name,
          delivers: deliver !== undefined,
          publishes: publish !== undefined,
          mayPublish: (topic) => publish?.fault(settings, topic) === null,
        }
        return [id, found]
      }),
    )
  }

  /**
   * The same, of those that a caller may use in rules.
   * @param needs `use`: the caller may see the connector; `command`: the caller may send commands through it
   */
  async usable(
    db: Executor,
    caller: Caller,
    ids: readonly number[],
    needs: 'use' | 'command',
  ): Promise<Map<number, OutgoingConnector>> {
    const viewer = {
      manage: caller.scopeIds('all', 'manage'),
      pick: [
        ...caller.scopeIds('VirtualDevice', needs === 'use' ? 'read' : 'write'),
        ...caller.scopeIds('VirtualDevice', 'manage'),
      ],
    }
    return this.find(db, await visibleOf(db, viewer, ids))
  }

  /** Makes one attempt to hand over a message; never rejects because of the other system. */
  async deliver(
    { connectorId, accountId }: { connectorId: number; accountId: number },
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const use = await this.#use(connectorId, accountId)
    if ('outcome' in use) return use
    const { deliver } = this.#running.of(use.kind)
    if (deliver === undefined) return failed('never', 'connectorUnfit')
    const attempt = await deliver.send(use, message, signal)
    const { outcome } = attempt
    if (!signal.aborted)
      this.#reports.report(
        connectorId,
        outcome === 'taken' ? 'connected' : 'error',
        outcome === 'taken' ? '' : [attempt.reason, attempt.detail].join(' ').trim(),
      )
    return attempt
  }

  /** Makes one attempt to publish a command; never rejects because of the broker. */
  async publish(
    { connectorId, accountId }: { connectorId: number; accountId: number },
    message: { topic: string; payload: Buffer },
  ): Promise<Attempt> {
    const use = await this.#use(connectorId, accountId)
    if ('outcome' in use) return use
    const { publish } = this.#running.of(use.kind)
    if (publish === undefined) return failed('never', 'connectorUnfit')
    if (publish.fault(use.settings, message.topic) !== null) return failed('never', 'topicForbidden')
    return publish.send(use, message)
  }

  /** Checked at every attempt: a connector may have been deleted, disabled or given to another account since. */
  async #use(
    connectorId: number,
    accountId: number,
  ): Promise<Attempt | { id: number; kind: ConnectorKind; settings: StoredSettings }> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    if (connector === undefined || connector.accountId !== accountId)
      return failed('never', 'connectorDeleted')
    if (!connector.enabled) return failed('again', 'connectorDisabled')
    return { id: connector.id, kind: connector.kind, settings: settingsOf(this.#ctx.secrets, connector) }
  }
}
