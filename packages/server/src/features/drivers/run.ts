import type { JsonValue } from '@leitstand/contract/common'
import type { payloadEncodings } from '@leitstand/contract/drivers'
import type { PacketFault } from '@leitstand/contract/errors'
import type { Calculated, Parser, ParserKind, ParserOf } from '@leitstand/contract/parsers'
import type { ScriptEngine } from '../../platform/scripts/types.ts'
import { type Decoded, failed } from './decoded.ts'
import { calculate } from './parsers/calculate.ts'
import { kindOf } from './parsers/index.ts'
import type { RemoteParser, RunOptions } from './parsers/types.ts'
import type { ParserSecret } from './parsers/url/bearer.ts'

export { type Decoded, scriptProblem } from './decoded.ts'

/** One version of a driver, as far as running it needs it. */
export interface RunnableDriver<P extends Parser = Parser> {
  driverId: number
  /** version number */
  number: number
  /** source of the kinds that have one */
  script: string
  parser: P
  calculated?: readonly Calculated[]
  /** its author's; null: of nobody, as it is only tried */
  accountId: number | null
  /** this version came with the platform: only such code of ours is shared between accounts */
  delivered?: boolean
  /** token for a parser that is reached by HTTP: just entered, or as it is stored */
  bearer?: string
  parserSecret?: ParserSecret | null
}

/** What parsers run in. */
export interface ParserTools {
  scripts: Pick<ScriptEngine, 'run'>
  /** parsers outside of this process */
  remote?: { readonly [K in ParserKind]?: RemoteParser<ParserOf<K>> }
}

/** A packet as people type it or drivers keep it. `hex` and `base16` are the same. */
export interface DriverPacket {
  payload: string
  encoding: 'hex' | (typeof payloadEncodings)[number]
  fPort?: number | null
  time: Date
  meta?: Record<string, JsonValue>
}

/** A packet as the pipeline has it. */
export interface ReadyPacket {
  time: Date
  fPort: number | null
  encoding: 'hex' | 'json'
  /** hexadecimal digits in pairs, small, or JSON text */
  payload: string
  /** JSON text */
  meta: string
}

/**
 * A typed packet as the pipeline would have it.
 * @returns the packet, or why the payload is not what its encoding says
 */
export function toReady(packet: DriverPacket): ReadyPacket | { problem: PacketFault } {
  const { time, fPort = null, payload, encoding } = packet
  const common = { time, fPort, meta: JSON.stringify(packet.meta ?? {}) }
  if (encoding === 'json') {
    try {
      JSON.parse(payload)
    } catch {
      return { problem: notOf('JSON') }
    }
    return { ...common, encoding, payload }
  }
  const bytes = encoding === 'base64' ? hexOfBase64(payload) : hexOf(payload)
  return bytes === null ? { problem: notOf(encoding) } : { ...common, encoding: 'hex', payload: bytes }
}

function notOf(encoding: string): PacketFault {
  const message = `The payload is not valid ${encoding}`
  return { code: 'PACKET_INVALID', message, params: { kind: 'encoding', encoding } }
}

function hexOf(text: string): string | null {
  const hex = text
    .replace(/[\s:-]/g, '')
    .replace(/^0x/i, '')
    .toLowerCase()
  return hex.length % 2 === 0 && /^[0-9a-f]*$/.test(hex) ? hex : null
}

function hexOfBase64(text: string): string | null {
  const compact = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact) || compact.replace(/=+$/, '').length % 4 === 1) return null
  return Buffer.from(compact, 'base64').toString('hex')
}

/**
 * Runs a driver over packets exactly as live traffic does, in one trip for all of them.
 * @returns one answer per packet in their order; never rejects for what a parser does
 */
export async function runDriver(
  tools: ParserTools,
  driver: RunnableDriver,
  packets: readonly DriverPacket[],
  options: RunOptions,
): Promise<Decoded[]> {
  const prepared = packets.map(toReady)
  const ready = prepared.flatMap((each) => ('problem' in each ? [] : [each]))
  const decoded = await decodePackets(tools, driver, ready, options)
  let next = 0
  return prepared.map((each) => {
    if ('problem' in each) return failed(each.problem, 0, [])
    const answer = decoded[next++]
    if (!answer) throw new Error('a parser answered fewer packets than it got')
    return answer
  })
}

/** What a driver makes of packets, with its calculated variables. One answer per packet in their order. */
export async function decodePackets(
  tools: ParserTools,
  driver: RunnableDriver,
  packets: readonly ReadyPacket[],
  options: RunOptions,
): Promise<Decoded[]> {
  const decoded = await kindOf(driver.parser).read(tools, driver, packets, options)
  const { calculated = [] } = driver
  return calculated.length === 0
    ? decoded
    : calculate(tools.scripts, { ...driver, calculated }, packets, decoded, options)
}
