/** Monday is 1. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

/** Weekdays with one added or removed, in their order. */
export function toggled(days: readonly number[], day: number): number[] {
  return days.includes(day) ? days.filter((each) => each !== day) : [...days, day].sort((a, b) => a - b)
}

/** The name of a weekday in a language. */
export function weekdayName(day: number, language: string, width: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(language, { weekday: width, timeZone: 'UTC' }).format(
    Date.UTC(2026, 0, 4 + day),
  )
}

/** Weekdays in words, with three or more in a row as a range: `Mon–Fri, Sun`. */
export function weekdaysText(days: readonly number[], language: string): string {
  const runs: number[][] = []
  for (const day of weekdays.filter((each) => days.includes(each))) {
    const run = runs.at(-1)
    if (run?.at(-1) === day - 1) run.push(day)
    else runs.push([day])
  }
  const name = (day: number | undefined) => weekdayName(day ?? 1, language, 'short')
  return runs
    .flatMap((run) => (run.length < 3 ? run.map(name) : `${name(run[0])}–${name(run.at(-1))}`))
    .join(', ')
}
