import type { Dashboard } from '@leitstand/contract/dashboards'
import { isPreset, type Range, readRange } from '../../lib/range.ts'
import { one, type UrlSearch } from '../../lib/url.ts'

type DefaultRange = Dashboard['settings']['defaultDateRange']

/** Dashboard parameters are in the address as `parameter_<name>`, as in the API. */
export const parameterPrefix = 'parameter_'

/** The time range: from the address, else the dashboard's default. */
export function dashboardRange(search: UrlSearch, fallback: DefaultRange): Range {
  if ('preset' in fallback) return readRange(search, fallback.preset)
  const range = readRange(search, '24h')
  if ('fromMs' in range || isPreset(one(search, 'range'))) return range
  return { fromMs: Date.parse(fallback.start), toMs: Date.parse(fallback.end) }
}

/** Address parameters of a range; none for the dashboard's default. */
export function rangeSearch(range: Range, fallback: DefaultRange): Record<string, string | undefined> {
  if ('preset' in range) {
    const own = 'preset' in fallback && fallback.preset === range.preset
    return { range: own ? undefined : range.preset, from: undefined, to: undefined }
  }
  const own =
    'start' in fallback &&
    Date.parse(fallback.start) === range.fromMs &&
    Date.parse(fallback.end) === range.toMs
  if (own) return { range: undefined, from: undefined, to: undefined }
  return {
    range: undefined,
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
  }
}

/** Values of the dashboard's parameters: from the address, else their defaults. */
export function parameterValues(
  search: UrlSearch,
  parameters: Dashboard['settings']['customParameters'],
): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, defaultValue }) => [
      name,
      one(search, `${parameterPrefix}${name}`) ?? defaultValue,
    ]),
  )
}
