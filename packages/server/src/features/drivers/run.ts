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

/** The data needed to run a driver version. */
export interface RunnableDriver<P extends Parser = Parser> {
  driverId: number
  /** version number */
  number: number
  /** source code, for kinds that have it */
  script: string
  parser: P
  calculated?: readonly Calculated[]
  /** account of the author; null for a trial */
  accountId: number | null
  /** delivered with the platform; only such code is shared between accounts */
  delivered?: boolean
  /** token for an HTTP parser: `bearer` as entered, `parserSecret` as stored */
  bearer?: string
  parserSecret?: ParserSecret | null
}

/** Engines that run parsers. */
export interface ParserTools {
  scripts: Pick<ScriptEngine, 'run'>
  /** remote parsers */
  remote?: { readonly [K in ParserKind]?: RemoteParser<ParserOf<K>> }
}

/** A packet as entered by users or stored in drivers. `hex` and `base16` are the same. */
export interface DriverPacket {
  payload: string
  encoding: 'hex' | (typeof payloadEncodings)[number]
  fPort?: number | null
  time: Date
  meta?: Record<string, JsonValue>
}

/** A packet in the form of the pipeline. */
export interface ReadyPacket {
  time: Date
  fPort: number | null
  encoding: 'hex' | 'json'
  /** pairs of lower-case hexadecimal digits, or JSON text */
  payload: string
  /** JSON text */
  meta: string
}

/**
 * Converts an entered packet to the form of the pipeline.
 * @returns the packet, or the problem if the payload does not match its encoding
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
 * Runs a driver over packets exactly as live traffic does, in one call.
 * @returns one result per packet, in order; never rejects because of a parser
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

/** Decodes packets with a driver and its calculated variables. One result per packet, in order. */
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
