import type { JsonValue } from '@leitstand/contract/common'
import type { payloadEncodings } from '@leitstand/contract/drivers'
import type { ErrorCode } from '@leitstand/contract/errors'
import type {
  ScriptEngine,
  ScriptError,
  ScriptInput,
  ScriptResult,
  ScriptSource,
} from '../../platform/scripts/types.ts'
import { type Flattened, flattenOutput, type Measurement } from './decode.ts'

/** One version of a driver, as far as running it needs it. */
export interface RunnableDriver {
  driverId: number
  /** version number */
  number: number
  script: string
  /** null: shares its sandbox with nobody */
  accountId: number | null
}

/** A packet on its way into a driver. `hex` and `base16` are the same. */
export interface DriverPacket {
  payload: string
  encoding: 'hex' | (typeof payloadEncodings)[number]
  fPort?: number | null
  time: Date
  meta?: Record<string, JsonValue>
}

/** What a driver made of a packet. With an `error` there are no measurements. */
export interface Decoded {
  /** what the script returned, null when it failed */
  output: JsonValue
  measurements: Measurement[]
  /** all variables of all measurements in one record; of several values of a variable the newest */
  variables: Record<string, JsonValue>
  /** warnings of the script itself and notes about dropped or renamed values */
  warnings: string[]
  error: { code: ErrorCode; message: string; line?: number; column?: number } | null
  console: string[]
  durationUs: number
}

/** The identity of a driver's version for the engine; scripts of one account share sandboxes, others never. */
export function driverSource(driver: RunnableDriver): ScriptSource {
  return {
    id: `driver:${driver.driverId}:${driver.number}`,
    source: driver.script,
    kind: 'driver',
    ...(driver.accountId === null ? {} : { group: `account:${driver.accountId}` }),
  }
}

/**
 * What the engine gets for a packet.
 * @returns the input, or why the payload is not what its encoding says
 */
export function toScriptInput(packet: DriverPacket): { input: ScriptInput } | { problem: string } {
  const common = {
    time: packet.time.toISOString(),
    ...(packet.fPort === null || packet.fPort === undefined ? {} : { fPort: packet.fPort }),
    ...(packet.meta === undefined ? {} : { meta: packet.meta }),
  }
  if (packet.encoding === 'json') {
    try {
      return { input: { ...common, payload: JSON.parse(packet.payload) } }
    } catch {
      return { problem: 'The payload is not valid JSON' }
    }
  }
  const bytes = packet.encoding === 'base64' ? hexOfBase64(packet.payload) : hexOf(packet.payload)
  return bytes === null
    ? { problem: `The payload is not valid ${packet.encoding}` }
    : { input: { ...common, bytes } }
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

/** Turns one answer of the engine into measurements; the pipeline and the editor both go through here. */
export function toDecoded(result: ScriptResult, packetTime: Date): Decoded {
  const console = [...(result.console ?? [])]
  if (!result.ok) return failed(scriptProblem(result.error), result.durationUs, console)
  const flat = flattenOutput(result.value, packetTime)
  return {
    output: (result.value ?? null) as JsonValue,
    measurements: flat.measurements,
    variables: mergeVariables(flat),
    warnings: [...(result.warnings ?? []), ...flat.notes],
    error: flat.error,
    console,
    durationUs: result.durationUs,
  }
}

/**
 * Runs a driver over packets in the engine of live traffic, in one trip.
 * @returns one answer per packet in their order; never rejects for what a script does
 */
export async function runDriver(
  scripts: ScriptEngine,
  driver: RunnableDriver,
  packets: readonly DriverPacket[],
  options: { console?: boolean } = {},
): Promise<Decoded[]> {
  const prepared = packets.map(toScriptInput)
  const inputs = prepared.flatMap((each) => ('input' in each ? [each.input] : []))
  const results = await scripts.run(driverSource(driver), inputs, options)
  let next = 0
  return prepared.map((each, index) => {
    if ('problem' in each) return failed({ code: 'PACKET_INVALID', message: each.problem }, 0, [])
    const result = results[next++]
    const packet = packets[index]
    if (!result || !packet) throw new Error('the script engine answered fewer inputs than it got')
    return toDecoded(result, packet.time)
  })
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
