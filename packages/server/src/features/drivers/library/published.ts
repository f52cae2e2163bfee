import type { JsonValue } from '@leitstand/contract/common'
import type { Published } from './index.ts'

/** Relative difference below which two numbers are the same. */
const tolerance = 1e-9

export interface PublishedDifference {
  name: string
  published: JsonValue
  variable: string
  /** null when the driver yields no such variable */
  ours: JsonValue
}

/**
 * Compares a published decoding with ours.
 * @param published values by name, nested ones joined by dots
 * @param ours the variables of our driver
 * @returns the values that differ when the documented differences of names and units are taken into account
 */
export function comparePublished(
  published: Readonly<Record<string, JsonValue>>,
  ours: Readonly<Record<string, JsonValue>>,
  names: Published['names'],
): PublishedDifference[] {
  return Object.entries(published).flatMap(([name, value]) => {
    const rule = names[name] ?? name
    if (typeof rule === 'object' && 'omitted' in rule) return []
    const meaning = typeof rule === 'string' ? { variable: rule } : rule
    const actual = ours[meaning.variable] ?? null
    const wanted = translate(value, meaning, published)
    if (isSame(wanted, actual, meaning.decimals)) return []
    return [{ name, published: value, variable: meaning.variable, ours: actual }]
  })
}

type Meaning = Extract<Published['names'][string], { variable: string }>

function translate(
  value: JsonValue,
  meaning: Meaning,
  published: Readonly<Record<string, JsonValue>>,
): JsonValue {
  if (meaning.absent?.some((each) => each === value)) return null
  if (meaning.values) return meaning.values[String(value)] ?? null
  const number = toNumber(value, meaning)
  if (number === null) return value
  const sum = number + (meaning.plus === undefined ? 0 : Number(published[meaning.plus]))
  const product = sum * (meaning.times === undefined ? 1 : Number(published[meaning.times]))
  return product * (meaning.factor ?? 1)
}

function toNumber(value: JsonValue, { strip, number }: Meaning): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  if (strip !== undefined) return Number(value.replace(strip, ''))
  return number ? Number(value) : null
}

/** Published decodings tell truth by 0 and 1, too. */
function isSame(wanted: JsonValue, actual: JsonValue, decimals: number | undefined): boolean {
  if (typeof actual === 'boolean' && typeof wanted === 'number') return (wanted !== 0) === actual
  if (typeof wanted !== 'number' || typeof actual !== 'number') return wanted === actual
  if (decimals !== undefined && Math.abs(wanted - actual) <= 0.5 * 10 ** -decimals + tolerance) return true
  return Math.abs(wanted - actual) <= tolerance * Math.max(1, Math.abs(wanted), Math.abs(actual))
}
