/** Nesting of an input. People's conditions and JSON values stay far below; a schema that follows it cannot overflow. */
export const inputDepthMax = 100

/** Whether a JSON value is nested deeper than `max`; looks without recursion itself. */
export function isDeeperThan(value: unknown, max: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
