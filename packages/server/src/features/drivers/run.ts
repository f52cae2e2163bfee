import type { JsonValue } from '@leitstand/contract/common'
import type { payloadEncodings } from '@leitstand/contract/drivers'
import type { PacketFault, Remark } from '@leitstand/contract/errors'
import type { Calculated, Parser } from '@leitstand/contract/parsers'
import {
  JsonInput,
  type ScriptEngine,
  type ScriptError,
  type ScriptResult,
  type ScriptSource,
} from '../../platform/scripts/types.ts'
import { type Flattened, flattenOutput, type Measurement } from './decode.ts'
import type { ParserSecret } from './parsers/bearer.ts'
import { calculate } from './parsers/calculate.ts'
import { groupOf } from './parsers/group.ts'
import { type LayoutResult, readByLayouts, readFields } from './parsers/layout.ts'
import type { RemoteAnswer, RemoteParser, RunOptions } from './parsers/remote.ts'

/** One version of a driver, as far as running it needs it. */
export interface RunnableDriver {
  driverId: number
  /** version number */
  number: number
  /** source of the kinds that have one */
  script: string
  /** absent: `function` */
  parser?: Parser
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
  remote?: { url: RemoteParser; elixir?: RemoteParser }
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

/** What a driver made of a packet. With an `error` there are no measurements, unless only a calculation failed. */
export interface Decoded {
  /** what the parser answered, null when it failed */
  output: JsonValue
  measurements: Measurement[]
  /** all variables of all measurements in one record; of several values of a variable the newest */
  variables: Record<string, JsonValue>
  /** warnings of the script itself and notes about dropped or renamed values */
  warnings: Remark[]
  error: (PacketFault & { line?: number; column?: number }) | null
  console: string[]
  durationUs: number
}

/** The identity of a driver's version for the engine, once for each account whose data it reads. */
function driverSource(driver: RunnableDriver, options: RunOptions): ScriptSource {
  return {
    id: `driver:${driver.driverId}:${driver.number}`,
    source: driver.script,
    kind: 'driver',
    group: groupOf(driver, options),
  }
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

/** Turns one answer of a script or of a parser elsewhere into measurements. */
function toDecoded(result: ScriptResult | RemoteAnswer, packetTime: Date): Decoded {
  const console = [...(result.console ?? [])]
  if (!result.ok) return failed(result.error, result.durationUs, console)
  return meantBy(result.value, packetTime, {
    durationUs: result.durationUs,
    console,
    warnings: result.warnings,
  })
}

function meantBy(
  output: unknown,
  packetTime: Date,
  run: { durationUs: number; console: string[]; warnings?: readonly string[] | undefined },
): Decoded {
  const flat = flattenOutput(output, packetTime)
  return {
    output: (output ?? null) as JsonValue,
    measurements: flat.measurements,
    variables: mergeVariables(flat),
    warnings: [...(run.warnings ?? []).map((message) => ({ message })), ...flat.notes],
    error: flat.error,
    console: run.console,
    durationUs: run.durationUs,
  }
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
  const decoded = await parse(tools, driver, packets, options)
  const { calculated = [] } = driver
  return calculated.length === 0
    ? decoded
    : calculate(tools.scripts, { ...driver, calculated }, packets, decoded, options)
}

async function parse(
  { scripts, remote }: ParserTools,
  driver: RunnableDriver,
  packets: readonly ReadyPacket[],
  options: RunOptions,
): Promise<Decoded[]> {
  const { parser = { kind: 'function' } } = driver
  switch (parser.kind) {
    case 'function': {
      const results = await scripts.run(driverSource(driver, options), packets.map(toInput), options)
      return packets.map(({ time }, index) => {
        const result = results[index]
        if (!result) throw new Error('the script engine answered fewer inputs than it got')
        return toDecoded(result, time)
      })
    }
    case 'single':
      return packets.map((packet) => readBytes(packet, (bytes) => readFields(bytes, parser.fields)))
    case 'multi':
      return packets.map((packet) =>
        readBytes(packet, (bytes) => readByLayouts(bytes, packet.fPort, parser.layouts)),
      )
    case 'url':
    case 'elixir': {
      const outside = remote?.[parser.kind]
      if (outside === undefined) return packets.map(() => failed(notThere[parser.kind], 0, []))
      const answers = await outside.run(driver, packets, options)
      return packets.map(({ time }, index) => {
        const answer = answers[index]
        if (!answer) throw new Error('a parser answered fewer packets than it got')
        return toDecoded(answer, time)
      })
    }
    case 'unset':
      return packets.map(withoutParser)
  }
}

const notThere = {
  url: { code: 'PARSER_URL_FAILED', message: 'Nothing here asks external parsers' },
  elixir: { code: 'PARSER_ELIXIR_MISSING', message: 'Nothing here runs parsers in Elixir' },
} as const

/** The script's input (`ScriptInput`), put together from texts that are JSON already. */
function toInput({ time, fPort, meta, encoding, payload }: ReadyPacket): JsonInput {
  const port = fPort === null ? '' : `"fPort":${fPort},`
  const content = encoding === 'hex' ? `"bytes":"${payload}"` : `"payload":${payload}`
  return new JsonInput(`{"time":"${time.toISOString()}",${port}"meta":${meta},${content}}`)
}

function readBytes(packet: ReadyPacket, read: (bytes: Uint8Array) => LayoutResult): Decoded {
  const started = performance.now()
  if (packet.encoding !== 'hex') {
    const message = 'The parser reads bytes, and the message carries none'
    return failed({ code: 'PARSER_NEEDS_BYTES', message }, 0, [])
  }
  const { variables, error } = read(Buffer.from(packet.payload, 'hex'))
  const durationUs = (performance.now() - started) * 1000
  return error === null
    ? meantBy(variables, packet.time, { durationUs, console: [] })
    : failed(error, durationUs, [])
}

/** Without a parser a JSON payload is its own variables; bytes mean nothing. */
function withoutParser({ encoding, payload, time }: ReadyPacket): Decoded {
  if (encoding === 'hex')
    return failed({ code: 'PARSER_UNSET', message: 'The driver has no parser yet' }, 0, [])
  return meantBy(JSON.parse(payload), time, { durationUs: 0, console: [] })
}

/** An error of the engine as callers see it: every code of the engine is one of the catalogue. */
export function scriptProblem({ code, message, line, column }: ScriptError): NonNullable<Decoded['error']> {
  return {
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }
}

function failed(error: NonNullable<Decoded['error']>, durationUs: number, console: string[]): Decoded {
  return { output: null, measurements: [], variables: {}, warnings: [], error, console, durationUs }
}

function mergeVariables({ measurements }: Flattened): Record<string, JsonValue> {
  const [only] = measurements
  if (only !== undefined && measurements.length === 1) return only.variables
  return Object.fromEntries(measurements.flatMap(({ variables }) => Object.entries(variables)))
}
