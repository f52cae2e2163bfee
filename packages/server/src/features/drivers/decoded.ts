import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault, Remark } from '@leitstand/contract/errors'
import type { ScriptError, ScriptResult } from '../../platform/scripts/types.ts'
import { type Flattened, flattenOutput, type Measurement } from './decode.ts'
import type { RemoteAnswer } from './parsers/types.ts'

/** The decoded packet. With an `error` there are no measurements, unless only a calculation failed. */
export interface Decoded {
  /** result of the parser, null if it failed */
  output: JsonValue
  measurements: Measurement[]
  /** newest value of each variable over all measurements */
  variables: Record<string, JsonValue>
  /** warnings of the script itself and notes about dropped or renamed values */
  warnings: Remark[]
  error: (PacketFault & { line?: number; column?: number }) | null
  console: string[]
  durationUs: number
}

/** Converts one result of a script or a remote parser into measurements. */
export function toDecoded(result: ScriptResult | RemoteAnswer, packetTime: Date): Decoded {
  const console = [...(result.console ?? [])]
  if (!result.ok) return failed(result.error, result.durationUs, console)
  return meantBy(result.value, packetTime, {
    durationUs: result.durationUs,
    console,
    warnings: result.warnings,
  })
}

/** Interprets a result. */
export function meantBy(
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

/** An error of the engine for callers; all codes of the engine are in the error catalogue. */
export function scriptProblem({ code, message, line, column }: ScriptError): NonNullable<Decoded['error']> {
  return {
    code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }
}

/** The result for a packet that could not be decoded. */
export function failed(error: NonNullable<Decoded['error']>, durationUs: number, console: string[]): Decoded {
  return { output: null, measurements: [], variables: {}, warnings: [], error, console, durationUs }
}

function mergeVariables({ measurements }: Flattened): Record<string, JsonValue> {
  const [only] = measurements
  if (only !== undefined && measurements.length === 1) return only.variables
  return Object.fromEntries(measurements.flatMap(({ variables }) => Object.entries(variables)))
}
