/** Texts of faults by the path of their field (`settings.host`). */
export type Faults = Record<string, string>

/** Faults a server found, each with the value it was found in. */
export type Refused = Record<string, { text: string; value: string }>

/** How far the user has come. */
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

/** The server's faults, with the values they are about. */
export function refusedAt(faults: Faults, values: unknown): Refused {
  return Object.fromEntries(
    Object.entries(faults).map(([path, text]) => [path, { text, value: textAt(values, path) }]),
  )
}

/**
 * The paths whose value was changed. Rows that were just added are still empty and do not count.
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

/** A key with a dot (a custom property) ends the path early. */
function valueAt(values: unknown, path: string): unknown {
  let value = values
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
