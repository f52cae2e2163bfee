/**
 * Maximum nesting of an input. Real conditions and JSON values stay far below; recursive schemas cannot
 * overflow.
 */
export const inputDepthMax = 100

interface Bounds {
  /** values inside each other, the outermost one not counted */
  depthMax: number
  /** values, the outermost one included */
  valuesMax: number
}

/** Which bound a JSON value exceeds; undefined: none. Not recursive itself, and stops at the first excess. */
export function exceeds(json: unknown, { depthMax, valuesMax }: Bounds): keyof Bounds | undefined {
  const waiting: { value: object; depth: number }[] = []
  let values = 1
  const note = (each: unknown, depth: number) => {
    if (typeof each === 'object' && each !== null) waiting.push({ value: each, depth })
  }
  note(json, 0)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next
    const before = values
    if (Array.isArray(value)) {
      values += value.length
      for (const item of value) note(item, depth + 1)
    } else {
      // A third of the time of Object.values for objects with thousands of fields.
      for (const name in value) {
        values += 1
        note((value as Record<string, unknown>)[name], depth + 1)
      }
    }
    if (values > valuesMax) return 'valuesMax'
    if (values > before && depth >= depthMax) return 'depthMax'
  }
  return undefined
}

/** Whether a JSON value is nested deeper than `depthMax`. */
export function isDeeperThan(json: unknown, depthMax: number): boolean {
  return exceeds(json, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== undefined
}
