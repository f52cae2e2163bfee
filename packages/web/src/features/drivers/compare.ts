/** Relative tolerance for equal numbers, so that 0.1 + 0.2 equals 0.3. */
const tolerance = 1e-9

/** Fixed receive time of golden packets, the same as on the server: drivers may read the clock. */
export const goldenTime = '2026-01-01T00:00:00.000Z'

export interface Difference {
  key: string
  /** undefined if a side does not have the variable */
  expected: unknown
  actual: unknown
}

/** Variables whose value differs from the expected one, sorted by name. */
export function differences(
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
): Difference[] {
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort()
  return keys.flatMap((key) => {
    const [wanted, found] = [ownValue(expected, key), ownValue(actual, key)]
    return same(wanted, found) ? [] : [{ key, expected: wanted, actual: found }]
  })
}

/** A variable may be called like something every object has: `constructor`. */
function ownValue(variables: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(variables, key) ? variables[key] : undefined
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= tolerance * Math.max(1, Math.min(Math.abs(a), Math.abs(b)))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const left = Object.entries(a)
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== Object.keys(b).length) return false
  return left.every(
    ([key, value]) => Object.hasOwn(b, key) && same(value, (b as Record<string, unknown>)[key]),
  )
}
