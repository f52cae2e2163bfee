import { formatValue, localeTag } from '../../../lib/format.ts'

const formats = new Map<string, Intl.NumberFormat>()

/**
 * Formats a number with fixed decimals in the current language. There are at most 11 × 2 formats; all are
 * cached.
 */
function fixed(value: number, decimals: number): string {
  const key = `${localeTag()}|${decimals}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(localeTag(), {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      // Without `negative`, -0.001 would be shown as -0.00.
      signDisplay: 'negative',
    })
    formats.set(key, format)
  }
  return format.format(value)
}

/** A value formatted as its state requires: fixed decimals if set, with the unit. */
export function stateText(
  value: unknown,
  { unit, decimals }: { unit?: string | null; decimals?: number | null },
): string {
  if (typeof value !== 'number' || decimals === null || decimals === undefined)
    return formatValue(value, unit)
  return unit ? `${fixed(value, decimals)}\u202f${unit}` : fixed(value, decimals)
}

/** Texts and JSON use a smaller font than numbers. */
export function isLong(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'string' && value.length > 12
}
