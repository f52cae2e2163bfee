import type { SeriesFeature } from '../../series/index.ts'
import type { ExportParams } from '../params.ts'
import { intervalValues, readingValues } from './intervals.ts'
import { rawValues } from './raw.ts'
import type { ReadValues } from './types.ts'

export type { ExportValue, ReadValues, StateValues } from './types.ts'

/** What reads the values that an export wants. */
export function readerFor(
  { values }: Pick<ExportParams, 'values'>,
  series: Pick<SeriesFeature, 'valuesAfter' | 'lastBefore' | 'summaries'>,
): ReadValues {
  switch (values.kind) {
    case 'raw':
      return rawValues(series)
    case 'interval':
      return intervalValues(series, values.method)
    case 'reading':
      return readingValues(series)
  }
}
