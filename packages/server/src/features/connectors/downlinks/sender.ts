import type { ConnectorKind } from '@leitstand/contract/bridge'
import { type DownlinkReason, type DownlinkWay, downlinkWays } from '@leitstand/contract/downlinks'
import type { Context } from '../../../platform/context.ts'
import { AppError, messageOf } from '../../../platform/errors.ts'
import { type GuardedFetch, guardedFetch } from '../../../platform/net/guardedFetch.ts'
import { opened } from '../sealing.ts'
import { readConnectors } from '../store/connectors.ts'
import type { ConnectorRow } from '../types.ts'
import { type OutgoingDownlink, type Way, ways } from './messages.ts'
import type { Publishers } from './publishers.ts'

export type { OutgoingDownlink } from './messages.ts'

/**
 * What became of handing a downlink over:
 * - `taken`: the network server has it, `name` is how it will name it (null: as before)
 * - `again`: it has not got it, a later attempt may succeed
 * - `unknown`: it was sent, and nobody knows whether it was taken
 * - `never`: it will not be taken
 */
export type Delivery =
  | { outcome: 'taken'; name: string | null }
  | { outcome: 'again' | 'unknown' | 'never'; reason: DownlinkReason; detail: string }

/** How a connector sends downlinks, and whether it can name this device. */
export interface Reach {
  readonly way: DownlinkWay
  readonly enabled: boolean
  readonly known: boolean
}

const answerLimits = { timeoutMs: 10_000, bytesMax: 64 * 1024 } as const
/** Of what a server answers when it refuses. */
const detailCharsMax = 300

/** Answers of HTTP that ask to come back, and those after which it may have been taken all the same. */
const busyStatus: ReadonlySet<number> = new Set([408, 425, 429, 503])
const brokenStatus: ReadonlySet<number> = new Set([500, 502, 504])

/** Hands downlinks to the network server behind a connector, over its connection or its HTTP interface. */
export class DownlinkSender {
  readonly #ctx: Context
  readonly #publishers: Publishers
  readonly #fetch: GuardedFetch

  constructor(ctx: Context, publishers: Publishers) {
    this.#ctx = ctx
    this.#publishers = publishers
    this.#fetch = guardedFetch(ctx.outgoing, answerLimits)
  }

  /** Whether a connector can send to a device. */
  async reach(connectorId: number, device: Pick<OutgoingDownlink, 'externalId' | 'lora'>): Promise<Reach> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    const way = connector === undefined ? undefined : wayOf(connector)
    if (connector === undefined || way === undefined)
      return { way: 'none', enabled: connector?.enabled ?? false, known: false }
    const known = ways[way].knows(device, overOf[connector.kind])
    return { way, enabled: connector.enabled, known }
  }

  /** The name by which the server will speak of a downlink, where it is known before. */
  async nameOf(connectorId: number, correlation: string): Promise<string | null> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    const way = connector === undefined ? undefined : wayOf(connector)
    return connector === undefined || way === undefined
      ? null
      : ways[way].nameOf(correlation, overOf[connector.kind])
  }

  /** Tries once. Never rejects because of the network server; ends at once, as `unknown`, when it is told to. */
  async send(connectorId: number, downlink: OutgoingDownlink, signal: AbortSignal): Promise<Delivery> {
    const [connector] = await readConnectors(this.#ctx.db, [connectorId])
    const way = connector === undefined ? undefined : wayOf(connector)
    if (connector === undefined || way === undefined) return never('noWay')
    if (!connector.enabled) return { outcome: 'again', reason: 'notConnected', detail: '' }
    return overOf[connector.kind] === 'mqtt'
      ? this.#publish(connector, ways[way], downlink)
      : this.#post(connector, ways[way], downlink, signal)
  }

  async #publish(connector: ConnectorRow, way: Way, downlink: OutgoingDownlink): Promise<Delivery> {
    const message = way.mqtt(downlink, String(connector.settings.username ?? ''))
    if (message === null) return never('noAddress')
    const publish = this.#publishers.get(connector.id)
    const answer = publish
      ? await publish(message.topic, Buffer.from(JSON.stringify(message.body)), message.qos)
      : 'away'
    if (answer === 'taken') return { outcome: 'taken', name: null }
    if (answer === 'silent') return { outcome: 'unknown', reason: 'noAnswer', detail: '' }
    return { outcome: 'again', reason: 'notConnected', detail: '' }
  }

  async #post(
    connector: ConnectorRow,
    way: Way,
    downlink: OutgoingDownlink,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const settings = opened(this.#ctx.secrets, connector.kind, connector.settings)
    const request = way.http(downlink, String(settings.downlinkUrl), String(settings.downlinkKey))
    if (request === null) return never('noAddress')
    const { url, headers, body } = request
    try {
      const answer = await this.#fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
      const text = await answer.text()
      if (answer.ok) return { outcome: 'taken', name: way.readName(parsed(text)) }
      const detail = `HTTP ${answer.status} ${text.slice(0, detailCharsMax)}`.trim()
      if (busyStatus.has(answer.status)) return { outcome: 'again', reason: 'overloaded', detail }
      if (brokenStatus.has(answer.status)) return { outcome: 'unknown', reason: 'noAnswer', detail }
      return { outcome: 'never', reason: 'refused', detail }
    } catch (error) {
      const detail = messageOf(error).slice(0, detailCharsMax)
      if (wasNotSent(error)) return { outcome: 'again', reason: 'unreachable', detail }
      return { outcome: 'unknown', reason: 'noAnswer', detail }
    }
  }
}

function wayOf({ settings }: ConnectorRow): keyof typeof ways | undefined {
  const way = downlinkWays.find((each) => each === settings.downlinks)
  return way === undefined || way === 'none' ? undefined : way
}

/** How a kind of connector hands downlinks over. */
const overOf: Readonly<Record<ConnectorKind, 'mqtt' | 'http'>> = {
  'webhook-in': 'http',
  'mqtt-broker': 'mqtt',
  'mqtt-in': 'mqtt',
}

const never = (reason: DownlinkReason): Delivery => ({ outcome: 'never', reason, detail: '' })

/** Failures before anything of the request can have reached the server. */
const beforeSending: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EPROTO'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])

function wasNotSent(error: unknown): boolean {
  if (error instanceof AppError) return true
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && beforeSending.has(code)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // The Things Stack answers with nothing; what is needed of an answer is looked for in it
  }
}
