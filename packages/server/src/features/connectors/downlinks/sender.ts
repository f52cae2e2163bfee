import { type DownlinkWay, downlinkWays } from '@leitstand/contract/downlinks'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { Command, RunningKinds } from '../kinds/index.ts'
import { settingsOf } from '../sealing.ts'
import { readConnectors } from '../store/connectors.ts'
import type { ConnectorRow, StoredSettings } from '../types.ts'
import { ways } from './messages.ts'
import { type Delivery, never, type OutgoingDownlink } from './types.ts'

/** How a connector sends downlinks, and whether it can address this device. */
export interface Reach {
  readonly way: DownlinkWay
  readonly enabled: boolean
  readonly known: boolean
}

/** A connector that can send downlinks. */
interface Sender {
  readonly connector: ConnectorRow
  readonly command: Command<StoredSettings>
  readonly way: keyof typeof ways
}

/** Sends downlinks to the network server behind a connector. */
export class DownlinkSender {
  readonly #ctx: Pick<Context, 'db' | 'secrets'>
  readonly #running: RunningKinds

  constructor(ctx: Pick<Context, 'db' | 'secrets'>, running: RunningKinds) {
    this.#ctx = ctx
    this.#running = running
  }

  /** Whether a connector can send to a device. */
  async reach(
    db: Executor,
    connectorId: number,
    device: Pick<OutgoingDownlink, 'externalId' | 'lora'>,
  ): Promise<Reach> {
    const { connector, sender } = await this.#find(connectorId, db)
    const enabled = connector?.enabled ?? false
    if (sender === undefined) return { way: 'none', enabled, known: false }
    const known = ways[sender.way].knows(device, sender.command.over)
    return { way: sender.way, enabled, known }
  }

  /** The id that the server will use for a downlink, if it is known in advance. */
  async nameOf(connectorId: number, correlation: string): Promise<string | null> {
    const { sender } = await this.#find(connectorId)
    return sender === undefined ? null : ways[sender.way].nameOf(correlation, sender.command.over)
  }

  /**
   * Makes one attempt. Never rejects because of the network server; resolves with `unknown` as soon as the
   * signal aborts.
   */
  async send(connectorId: number, downlink: OutgoingDownlink, signal: AbortSignal): Promise<Delivery> {
    const { sender } = await this.#find(connectorId)
    if (sender === undefined) return never('noWay')
    const { connector, command, way } = sender
    if (!connector.enabled) return { outcome: 'again', reason: 'notConnected', detail: '' }
    const settings = settingsOf(this.#ctx.secrets, connector)
    return command.send({ id: connector.id, settings }, ways[way], downlink, signal)
  }

  async #find(
    connectorId: number,
    db: Executor = this.#ctx.db,
  ): Promise<{ connector?: ConnectorRow; sender?: Sender }> {
    const [connector] = await readConnectors(db, [connectorId])
    if (connector === undefined) return {}
    const { command } = this.#running.of(connector.kind)
    const way = wayOf(connector)
    return command === undefined || way === undefined
      ? { connector }
      : { connector, sender: { connector, command, way } }
  }
}

function wayOf({ settings }: ConnectorRow): keyof typeof ways | undefined {
  const way = downlinkWays.find((each) => each === settings.downlinks)
  return way === undefined || way === 'none' ? undefined : way
}
