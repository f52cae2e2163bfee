import type { StandardPacket } from '@leitstand/contract/bridge'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { Context } from '../../platform/context.ts'
import { isRemote, type ParserTools } from '../drivers/index.ts'
import { type Addressed, decode, type Meaning } from './decode.ts'
import type { Directory } from './directory.ts'
import { readPacket } from './resolve.ts'
import { hasRemoteDrivers } from './store.ts'
import type { InboundMessage } from './types.ts'

/**
 * Calls remote parsers before a message is queued: a batch is stored as a whole, and one slow parser would
 * delay all packets. The results or errors are attached to the message.
 */
export class Prefetch {
  readonly #ctx: Context
  readonly #parsers: ParserTools
  readonly #directory: Directory
  /** whether any driver has a remote parser; undefined: not looked up yet */
  #isNeeded: boolean | undefined
  #generation = 0
  #looking: Promise<boolean> | undefined
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(ctx: Context, parsers: ParserTools, directory: Directory) {
    this.#ctx = ctx
    this.#parsers = parsers
    this.#directory = directory
    ctx.configChanges.on('drivers', () => {
      this.#generation++
      this.#isNeeded = undefined
      this.#looking = undefined
    })
  }

  /** Returns the message with the results of remote parsers; synchronously if no driver has one. */
  prepare(message: InboundMessage): InboundMessage | Promise<InboundMessage> {
    if (this.#isNeeded === false) return message
    const prepared = this.#prepare(message)
    this.#underWay.add(prepared)
    return prepared.finally(() => this.#underWay.delete(prepared))
  }

  /** Resolves when no message is being prepared any more. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  async #prepare(message: InboundMessage): Promise<InboundMessage> {
    if (!(await this.#lookUp())) return message
    const { connector, packets, receivedAt } = message
    const addresses = packets.flatMap((packet) =>
      'routing' in packet ? [] : [{ connectorId: connector.id, key: normaliseExternalId(packet.identifier) }],
    )
    const devices = await this.#directory.devices(addresses)
    const found: (Addressed & { standard: StandardPacket })[] = []
    for (const standard of packets) {
      if ('routing' in standard) continue
      const device = devices.get(`${connector.id} ${normaliseExternalId(standard.identifier)}`)
      if (device === undefined || device.disabled || device.driver === null || !isRemote(device.driver))
        continue
      const oldest = await this.#directory.oldest([connector.accountId], this.#ctx.clock.now())
      const packet = readPacket(standard, receivedAt, oldest.get(connector.accountId) ?? receivedAt)
      if (packet.kind === 'device') found.push({ packet, device, standard })
    }
    if (found.length === 0) return message
    const meanings = await decode(this.#parsers, found)
    const prefetched = new Map(found.map(({ standard }, index) => [standard, meanings[index] as Meaning]))
    return { ...message, prefetched }
  }

  async #lookUp(): Promise<boolean> {
    if (this.#isNeeded !== undefined) return this.#isNeeded
    const generation = this.#generation
    // Concurrent messages share the same look-up.
    this.#looking ??= hasRemoteDrivers(this.#ctx.db)
    try {
      const isNeeded = await this.#looking
      if (generation === this.#generation) this.#isNeeded = isNeeded
      return isNeeded
    } catch (error) {
      this.#looking = undefined
      throw error
    }
  }
}
