import { currentLanguage } from '../../lib/i18n.ts'
import { type CsvCell, csvStyle, toCsv } from '../list/csv.ts'
import type { ChartSeries } from './types.ts'

/** Without decimals of the series, so many keep means from showing their noise. */
const decimalsMax = 6

/**
 * A chart's table as CSV: times in the zone of the series, numbers with their decimals, units in the headings, and the
 * device if all series are of one.
 */
export function chartCsv(
  titles: { time: string; object: string },
  series: readonly ChartSeries[],
  rows: [number, ...unknown[]][],
): string {
  const zone = only(series, 'timeZone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const object = only(series, 'object')
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const header = [
    `${titles.time} (${zone})`,
    ...(object === undefined ? [] : [titles.object]),
    ...series.map((each) => (each.unit ? `${each.name} [${each.unit}]` : each.name)),
  ]
  return toCsv(
    header,
    rows.map(([ms, ...cells]) => [
      clock.format(ms),
      ...(object === undefined ? [] : [object]),
      ...series.map((each, index) => cellOf(cells[index], each.decimals)),
    ]),
  )
}

/** What all series have in common; undefined if they differ. */
function only(series: readonly ChartSeries[], key: 'timeZone' | 'object'): string | undefined {
  const first = series[0]?.[key]
  return series.every((each) => each[key] === first) ? first : undefined
}

function cellOf(value: unknown, decimals: number | null | undefined): CsvCell {
  if (typeof value === 'number') {
    const text =
      decimals === null || decimals === undefined
        ? String(Number(value.toFixed(decimalsMax)))
        : value.toFixed(decimals)
    return { plain: text.replace('.', csvStyle(currentLanguage()).decimal) }
  }
  if (value === null || value === undefined || typeof value === 'string') return value
  return JSON.stringify(value)
}
