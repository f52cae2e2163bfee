/** The order after a widget is dropped on another one's place. */
export function moved(ids: readonly number[], id: number, over: number): number[] {
  const from = ids.indexOf(id)
  const to = ids.indexOf(over)
  if (from < 0 || to < 0 || from === to) return [...ids]
  const next = ids.filter((each) => each !== id)
  next.splice(to, 0, id)
  return next
}

/** Widths of a widget in columns of the 12-column grid. */
export const widths = [2, 3, 4, 6, 8, 9, 12] as const
