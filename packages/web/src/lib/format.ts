import i18next from 'i18next'

/** BCP 47 tag for Intl; English uses day-month order and 24 hours as our users expect. */
export function localeTag(): string {
  return i18next.language === 'en' ? 'en-GB' : 'de-DE'
}

const cache = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>()

/** Intl objects are expensive to create (about 50 µs), and there are few variants, so each is cached. */
function memo<T extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat>(
  kind: string,
  make: (locale: string) => T,
): T {
  const locale = localeTag()
  const key = `${locale}|${kind}`
  const known = cache.get(key)
  if (known) return known as T
  const made = make(locale)
  cache.set(key, made)
  return made
}

/** `1234.5` → `1.234,5`. At most `digits` decimals (default 3, fewer for large numbers). */
export function formatNumber(value: number, digits?: number): string {
  const places = digits ?? (Math.abs(value) >= 1000 ? 1 : Math.abs(value) >= 100 ? 2 : 3)
  return memo(
    `n${places}`,
    // Without `negative`, -0.0001 would be shown as -0.
    (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: places, signDisplay: 'negative' }),
  ).format(value)
}

/** A state's value as text: localized numbers, booleans as words, compact JSON; unit after a thin space. */
export function formatValue(value: unknown, unit?: string | null): string {
  if (value === null || value === undefined) return '–'
  const text =
    typeof value === 'number'
      ? formatNumber(value)
      : typeof value === 'boolean'
        ? i18next.t(value ? 'common.yes' : 'common.no')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value)
  return unit ? `${text}\u202f${unit}` : text
}

/** A text that is no time is shown as it is: it may come from a server, and must not break the page. */
function formatDateTime(
  kind: string,
  options: Intl.DateTimeFormatOptions,
  time: string | number | Date,
): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return String(time)
  return memo(kind, (locale) => new Intl.DateTimeFormat(locale, options)).format(date)
}

/** Date and time in the browser's time zone: `20.11.2026, 14:03:09`. */
export function formatTime(time: string | number | Date): string {
  return formatDateTime('t', { dateStyle: 'medium', timeStyle: 'medium' }, time)
}

/** Date and time without seconds: `20.11.2026, 14:03`. */
export function formatTimeShort(time: string | number | Date): string {
  return formatDateTime('s', { dateStyle: 'medium', timeStyle: 'short' }, time)
}

/** Only the date: `20.11.2026`. */
export function formatDate(time: string | number | Date): string {
  return formatDateTime('d', { dateStyle: 'medium' }, time)
}

/** Only the clock: `14:03:09`. */
export function formatClock(time: string | number | Date): string {
  return formatDateTime('c', { timeStyle: 'medium' }, time)
}

/** Exact time with zone, for tooltips: `Freitag, 20. November 2026 um 14:03:09 MEZ`. */
export function formatTimeExact(time: string | number | Date): string {
  return formatDateTime('x', { dateStyle: 'full', timeStyle: 'long' }, time)
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/** `vor 3 Min.` or `in 2 Std.`, relative to `nowMs`. Below 10 seconds: "gerade eben". */
export function formatRelative(time: string | number | Date, nowMs: number): string {
  let amount = (new Date(time).getTime() - nowMs) / 1000
  if (Math.abs(amount) < 10) return i18next.t('common.justNow')
  const format = memo(
    'r',
    (locale) => new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'always' }),
  )
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) return format.format(Math.trunc(amount), unit)
    amount /= size
  }
  return formatDate(time)
}

/** `1536` → `1,5 KB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let amount = bytes
  let index = 0
  // The rounded amount decides: 1 048 575 bytes are 1 MB, not 1 024 KB.
  while (Math.round(amount * 10) / 10 >= 1024 && index < units.length - 1) {
    amount /= 1024
    index += 1
  }
  return `${formatNumber(amount, index === 0 ? 0 : 1)}\u202f${units[index]}`
}

/** Milliseconds as `0,4 ms`, `82 ms`, `1,3 s` or `4 min 10 s`. Limits apply to the rounded number: never `1.000 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${formatNumber(ms, 1)}\u202fms`
  if (ms < 999.5) return `${formatNumber(ms, 0)}\u202fms`
  if (ms < 59_950) return `${formatNumber(ms / 1000, 1)}\u202fs`
  if (ms < 60_000) return formatDuration(60_000)
  return `${formatNumber(Math.floor(ms / 60_000), 0)}\u202fmin ${formatNumber(Math.floor((ms % 60_000) / 1000), 0)}\u202fs`
}
