import type { JsonValue } from '@leitstand/contract/common'
import type { GoldenPacket } from '@leitstand/contract/drivers'
import { apart } from '../../platform/scripts/index.ts'
import { type Decoded, type ParserTools, type RunnableDriver, runDriver } from './run.ts'

/** Fixed time of reception of golden packets, because drivers may use it. */
export const goldenTime = new Date('2026-01-01T00:00:00.000Z')

/** Relative difference below which two numbers are equal: 0.1 + 0.2 is 0.3. */
const tolerance = 1e-9

/** A golden packet that no longer decodes to the expected result. */
export interface GoldenMismatch {
  /** index of the packet in the list */
  index: number
  title: string
  error: Decoded['error']
  /** the current result */
  variables: Record<string, JsonValue>
  differences: { key: string; expected: JsonValue | null; actual: JsonValue | null }[]
}

/**
 * Runs the golden packets of a driver as live traffic does.
 * @param dataAccountId the account of the driver, which owns the packets
 */
export async function checkGolden(
  tools: ParserTools,
  driver: RunnableDriver,
  golden: readonly GoldenPacket[],
  dataAccountId: number,
): Promise<GoldenMismatch[]> {
  if (golden.length === 0) return []
  const decoded = await runDriver(
    { ...tools, scripts: apart(tools.scripts) },
    driver,
    golden.map((packet) => ({
      payload: packet.payload,
      encoding: packet.encoding,
      fPort: packet.fPort,
      time: goldenTime,
    })),
    { dataAccountId, isTrial: true },
  )
  return decoded.flatMap((each, index) => {
    const packet = golden[index]
    if (!packet) return []
    const differences = each.error ? [] : compareVariables(packet.expected, each.variables)
    if (!each.error && differences.length === 0) return []
    return [{ index, title: packet.title, error: each.error, variables: each.variables, differences }]
  })
}

/**
 * Variables that differ; a missing one is null. Numbers are compared with a tolerance for rounding errors.
 */
export function compareVariables(
  expected: Record<string, JsonValue>,
  actual: Record<string, JsonValue>,
): GoldenMismatch['differences'] {
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
  return keys.flatMap((key) => {
    const wanted = Object.hasOwn(expected, key) ? (expected[key] ?? null) : null
    const got = Object.hasOwn(actual, key) ? (actual[key] ?? null) : null
    return sameValue(wanted, got) ? [] : [{ key, expected: wanted, actual: got }]
  })
}

function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index] ?? null))
  }
  if (isRecord(a) && isRecord(b)) return compareVariables(a, b).length === 0
  return a === b
}

function isRecord(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
