import type { exportMethods } from '@leitstand/contract/exports'
import { nextInterval, type SeriesFeature, type Summary } from '../../series/index.ts'
import type { ExportParams } from '../params.ts'
import { startsFrom } from '../period.ts'
import type { ExportValue, ReadValues, StateValues } from './types.ts'

type Method = (typeof exportMethods)[number]
type Series = Pick<SeriesFeature, 'summaries' | 'lastBefore'>

const timeoutMs = 50_000

/** The intervals from a time on, at most `limit`, and where they end. */
function intervalsOf(params: ExportParams, fromMs: number, limit: number) {
  const { values, formatting, endMs } = params
  if (values.kind === 'raw') throw new Error('raw values have no intervals')
  const spec = { duration: values.duration, timeZone: formatting.timeZone }
  const found = startsFrom(fromMs, endMs, spec, limit + 1)
  const starts = found.slice(0, limit)
  const nextMs = found[limit]
  return {
    spec,
    starts,
    toMs: nextMs ?? endMs,
    upToMs: nextMs === undefined ? null : nextMs - 1,
  }
}

/** One value for each interval that has values. */
export function intervalValues(series: Series, method: Method): ReadValues {
  return async (params, stateIds, fromMs, limit) => {
    const { starts, toMs, upToMs } = intervalsOf(params, fromMs, limit)
    const range = { start: new Date(fromMs), end: new Date(toMs) }
    const edges =
      method === 'first' ? (['firstNumber', 'firstText'] as const) : method === 'latest' ? lastEdges : []
    const found = await series.summaries(stateIds, range, starts, { edges: new Set(edges), timeoutMs })
    const byState = new Map<number, StateValues>(stateIds.map((id) => [id, { values: [], upToMs }]))
    for (const summary of found) {
      const value = reduced(summary, method)
      if (value) byState.get(summary.stateId)?.values.push(value)
    }
    return byState
  }
}

const lastEdges = ['lastNumber', 'lastText'] as const

function reduced(summary: Summary, method: Method): ExportValue | null {
  const { startMs, numbers, texts, sum, min, max } = summary
  const plain = (value: number | null) =>
    value === null ? null : { timeMs: startMs, placeMs: startMs, value, measuredMs: startMs }
  switch (method) {
    case 'avg':
      return plain(sum === null || numbers === 0 ? null : sum / numbers)
    case 'sum':
      return plain(numbers === 0 ? null : sum)
    case 'min':
      return plain(min)
    case 'max':
      return plain(max)
    case 'count':
      return plain(numbers + texts)
    case 'first':
      return edgeOf(startMs, summary.firstNumber, summary.firstText, (a, b) => a <= b)
    case 'latest':
      return edgeOf(startMs, summary.lastNumber, summary.lastText, (a, b) => a >= b)
  }
}

/** A state may have had numbers and texts in one interval. */
function edgeOf(
  timeMs: number,
  number: Summary['firstNumber'],
  text: Summary['firstText'],
  isBetter: (a: number, b: number) => boolean,
): ExportValue | null {
  const edge = number && (text === null || isBetter(number[0], text[0])) ? number : text
  return edge && { timeMs, placeMs: timeMs, value: edge[1], measuredMs: edge[0] }
}

/**
 * The last value up to the end of each whole interval, however old, with the time it was measured. Its row has the time of the
 * end: a reading at the end of March is that at 00:00 on the first of April.
 */
export function readingValues(series: Series): ReadValues {
  return async (params, ids, fromMs, limit) => {
    const { spec, starts, toMs, upToMs } = intervalsOf(params, fromMs, limit)
    const ends = starts.map((start) => nextInterval(start, spec.duration, spec.timeZone))
    const before = new Map(
      (await series.lastBefore(ids, fromMs)).map(({ stateId, timeMs, value }) => [
        stateId,
        { value, measuredMs: timeMs },
      ]),
    )
    const found = await series.summaries(ids, { start: new Date(fromMs), end: new Date(toMs) }, starts, {
      edges: new Set(lastEdges),
      timeoutMs,
    })
    const lastIn = Map.groupBy(found, ({ stateId }) => stateId)
    const byState = new Map<number, StateValues>()
    for (const id of ids) {
      const within = new Map((lastIn.get(id) ?? []).map((each) => [each.startMs, reduced(each, 'latest')]))
      let last: { value: ExportValue['value']; measuredMs: number } | undefined = before.get(id)
      const values: ExportValue[] = []
      for (const [at, start] of starts.entries()) {
        last = within.get(start) ?? last
        const endMs = ends[at] as number
        // The interval is not over: what it ends with is not known yet.
        if (endMs > params.endMs) break
        if (last)
          values.push({ timeMs: endMs, placeMs: start, value: last.value, measuredMs: last.measuredMs })
      }
      byState.set(id, { values, upToMs })
    }
    return byState
  }
}
