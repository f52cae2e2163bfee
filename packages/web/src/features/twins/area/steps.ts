/** Maximum steps that can be undone. */
const stepsMax = 50

interface Step<T> {
  before: T
  /** what kind of change it was, if several in a row are one step */
  kind: string | null
}

/** Values that were replaced, oldest first. */
export type Steps<T> = readonly Step<T>[]

/**
 * With the value before a change. Changes of one kind in a row, such as letters that are typed, are one step, and it goes
 * back to the value before the first of them.
 */
export function stepped<T>(steps: Steps<T>, before: T, kind: string | null): Steps<T> {
  if (kind !== null && steps.at(-1)?.kind === kind) return steps
  return [...steps.slice(1 - stepsMax), { before, kind }]
}
