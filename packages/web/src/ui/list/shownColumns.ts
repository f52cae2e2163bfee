import type { ListColumn } from './types.ts'

type Column = Pick<ListColumn<never>, 'key' | 'optional'>

/** The columns that are shown: the chosen ones, else all that are not optional. The first one always is. */
export function shownColumns<T extends Column>(
  all: readonly T[],
  chosen: readonly string[] | undefined,
): T[] {
  const keys = chosen ?? all.filter((column) => !column.optional).map((column) => column.key)
  return all.filter((column, index) => index === 0 || keys.includes(column.key))
}

/** Keys of the shown columns, in the list's order, after one was switched on or off. */
export function toggledColumns(all: readonly Column[], shown: readonly Column[], key: string): string[] {
  const isShown = (wanted: string) => shown.some((column) => column.key === wanted)
  const next = isShown(key)
    ? shown.filter((column) => column.key !== key)
    : all.filter((column) => column.key === key || isShown(column.key))
  return next.map((column) => column.key)
}

type Chosen = Readonly<Record<string, string[]>>

/** The choices of all lists with that of one list; undefined: its default again. */
export function withChoice(columns: Chosen | undefined, list: string, keys: string[] | undefined) {
  const { [list]: _old, ...others } = columns ?? {}
  return keys ? { ...others, [list]: keys } : others
}
