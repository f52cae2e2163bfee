/**
 * Maximum nesting of an input. Real conditions and JSON values stay far below; recursive schemas cannot
 * overflow.
 */
export const inputDepthMax = 100

/** Whether a JSON value is nested deeper than `max`; not recursive itself. */
export function isDeeperThan(value: unknown, max: number): boolean {
  const waiting: { value: object; depth: number }[] = []
  const note = (each: unknown, depth: number) => {
    if (typeof each === 'object' && each !== null) waiting.push({ value: each, depth })
  }
  note(value, 0)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: each, depth } = next
    const items = Array.isArray(each) ? each : Object.values(each)
    if (items.length > 0 && depth >= max) return true
    for (const item of items) note(item, depth + 1)
  }
  return false
}

/** Whether a JSON value contains more than `max` values, itself included; stops counting there. */
export function hasMoreValuesThan(value: unknown, max: number): boolean {
  const waiting: object[] = []
  let count = 1
  const note = (each: unknown) => {
    if (typeof each === 'object' && each !== null) waiting.push(each)
  }
  note(value)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const items = Array.isArray(next) ? next : Object.values(next)
    count += items.length
    if (count > max) return true
    for (const item of items) note(item)
  }
  return false
}
