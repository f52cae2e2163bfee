import { toCsv } from '../list/csv.ts'
import type { ChartSeries } from './types.ts'

/** A chart's table as CSV: times in UTC, units in the headings. */
export function chartCsv(
  timeTitle: string,
  series: readonly ChartSeries[],
  rows: [number, ...unknown[]][],
): string {
  const header = [timeTitle, ...series.map((each) => (each.unit ? `${each.name} [${each.unit}]` : each.name))]
  return toCsv(
    header,
    rows.map(([ms, ...cells]) => [
      new Date(ms).toISOString(),
      ...cells.map((cell) =>
        cell === null || typeof cell === 'number' || typeof cell === 'string' ? cell : JSON.stringify(cell),
      ),
    ]),
  )
}
