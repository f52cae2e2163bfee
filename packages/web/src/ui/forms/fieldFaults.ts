/** Texts of faults by the path of their field (`settings.host`). */
export type Faults = Record<string, string>

/** Faults a server found, each with the value it was found in. */
export type Refused = Record<string, { text: string; value: string }>

/** What somebody has done so far. */
export interface Progress {
  /** a save was tried: every fault is shown */
  tried: boolean
  /** paths of fields that were left once */
  left: ReadonlySet<string>
}

/**
 * The faults to show now: those of fields that were left once, all of them once a save was tried, and what
 * the server refused until that value is changed.
 */
export function shownFaults(found: Faults, refused: Refused, values: unknown, progress: Progress): Faults {
  const { tried, left } = progress
  const shown = Object.entries(found).filter(([path]) => tried || left.has(path))
  const kept = Object.entries(refused).filter(([path, { value }]) => textAt(values, path) === value)
  return { ...Object.fromEntries(kept.map(([path, { text }]) => [path, text])), ...Object.fromEntries(shown) }
}

/** Faults of a server for `shownFaults`. */
export function refusedAt(faults: Faults, values: unknown): Refused {
  return Object.fromEntries(
    Object.entries(faults).map(([path, text]) => [path, { text, value: textAt(values, path) }]),
  )
}

/**
 * Those of the paths whose value was changed. A row that was just added is empty and does not count: nobody
 * has had the chance to fill it in.
 */
export function changedPaths(paths: readonly string[], values: unknown, start: unknown): string[] {
  return paths.filter((path) => {
    const value = valueAt(values, path)
    const before = valueAt(start, path)
    return JSON.stringify(value) !== JSON.stringify(before) && !(before === undefined && isEmpty(value))
  })
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const textAt = (values: unknown, path: string) => JSON.stringify(valueAt(values, path)) ?? ''

/** Keys may contain dots, as in key values: then the path ends at what can be found. */
function valueAt(values: unknown, path: string): unknown {
  let value = values
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
