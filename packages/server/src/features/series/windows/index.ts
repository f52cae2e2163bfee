import type { Db } from '../../../platform/db/index.ts'
import type { TimedValue } from '../aggregate.ts'
import type { ComputedInput, RefusedValue, ValueInput } from '../apply.ts'
import type { StateMeta } from '../store.ts'
import { type Contents, dueMs, type Observed, toStore, valueIn } from './decide.ts'
import { periodAt, startBefore } from './period.ts'
import type { WindowSettings } from './settings.ts'
import { type ClockNote, type Frame, readContents, readFrames, readLastTwo, readNextTimes } from './store.ts'

/** States evaluated in one round of statements. */
const statesMax = 500
/** Wait for roll-ups that are not computed yet. */
const behindMs = 60_000

export { type WindowSettings, windowOf } from './settings.ts'
export { type ClockNote, emptyCurrent, isAnyDue, saveDue, takeDue } from './store.ts'

/** A state that looks at the values of its source in a period. */
export interface WindowMeta extends Pick<StateMeta, 'id' | 'sourceIds'> {
  window: WindowSettings
}

/** The result of an evaluation; `value` null: the period has none. */
interface Evaluated {
  stateId: number
  value: TimedValue['value']
  /** of the newest value in it, null if it is empty */
  newestMs: number | null
  known: TimedValue | undefined
}

/** What to store for window states at a time: their values after their transformers, and when they are due next. */
export async function lookBack(
  db: Db,
  metas: readonly WindowMeta[],
  now: Date,
  transform: (
    inputs: readonly ComputedInput[],
  ) => Promise<{ values: ComputedInput[]; refused: RefusedValue[] }>,
): Promise<{ values: ValueInput[]; notes: ClockNote[]; refused: RefusedValue[] }> {
  if (metas.length === 0) return { values: [], notes: [], refused: [] }
  const { values, notes } = await evaluate(db, metas, now)
  const inputs = values.flatMap(({ stateId, value, newestMs }): ComputedInput[] =>
    value === null ? [] : [{ stateId, value, time: new Date(newestMs ?? now), values: [] }],
  )
  const transformed = inputs.length === 0 ? { values: [], refused: [] } : await transform(inputs)
  const byId = new Map(values.map((each) => [each.stateId, each]))
  return {
    notes,
    refused: transformed.refused,
    // Only after the transformer: it may give another value for the same contents.
    values: transformed.values.flatMap((input) => {
      const { newestMs, known } = byId.get(input.stateId) as Evaluated
      const time = toStore(input.value, newestMs, known, now.getTime())
      return time === null ? [] : [{ ...input, time }]
    }),
  }
}

/** The value that a state looking back on another would have at a time, with its period; null: it waits for roll-ups. */
export async function preview(
  db: Db,
  window: WindowSettings,
  sourceId: number,
  now: Date,
): Promise<{ value: TimedValue['value']; fromMs: number | null; count: number } | null> {
  const meta = { id: sourceId, sourceIds: [sourceId], window }
  const seen = (await observe(db, [meta], await readFrames(db, [sourceId]), now)).get(meta)
  if (seen === undefined || seen === 'behind') return null
  return {
    value: valueIn(window.operation, seen),
    fromMs: window.span === null ? null : seen.bounds.fromMs,
    count: seen.contents?.total ?? 0,
  }
}

/** The values of window states at a time, and when they are due next; those that wait for roll-ups have no value. */
async function evaluate(
  db: Db,
  metas: readonly WindowMeta[],
  now: Date,
): Promise<{ values: Evaluated[]; notes: ClockNote[] }> {
  const values: Evaluated[] = []
  const notes: ClockNote[] = []
  for (let first = 0; first < metas.length; first += statesMax) {
    const piece = metas.slice(first, first + statesMax)
    const frames = await readFrames(
      db,
      piece.map(({ id }) => id),
    )
    for (const [meta, seen] of await observe(db, piece, frames, now)) {
      const { timeZone, known } = frames.get(meta.id) as Frame
      if (seen === 'behind') {
        notes.push({ stateId: meta.id, due: new Date(now.getTime() + behindMs), isEmpty: false })
        continue
      }
      const value = valueIn(meta.window.operation, seen)
      const due = dueMs(meta.window, seen, now.getTime(), timeZone)
      notes.push({ stateId: meta.id, due: due === null ? null : new Date(due), isEmpty: value === null })
      values.push({ stateId: meta.id, value, newestMs: seen.contents?.lastMs ?? null, known })
    }
  }
  return { values, notes }
}

type Seen = Observed | 'behind'

/** Reads what states look at, those with the same period at once. */
async function observe(
  db: Db,
  metas: readonly WindowMeta[],
  frames: ReadonlyMap<number, Frame>,
  now: Date,
): Promise<Map<WindowMeta, Seen>> {
  const seen = new Map<WindowMeta, Seen>()
  const present = metas.filter(({ id, sourceIds }) => frames.has(id) && sourceIds.length > 0)
  const next = await readNextTimes(db, present.map(sourceOf), now)
  const groups = Map.groupBy(present, ({ id, window }) =>
    JSON.stringify([window, window.span === null || !usesZone(window) ? '' : frames.get(id)?.timeZone]),
  )
  for (const group of groups.values()) {
    const [{ id, window }] = group as [WindowMeta, ...WindowMeta[]]
    const read =
      window.span === null
        ? await readDifferences(db, group, now)
        : await readPeriods(db, group, window.span, (frames.get(id) as Frame).timeZone, now)
    for (const meta of group) {
      const found = read === null ? 'behind' : read(sourceOf(meta))
      seen.set(meta, found === 'behind' ? found : { ...found, nextMs: next.get(sourceOf(meta)) ?? null })
    }
  }
  return seen
}

const sourceOf = ({ sourceIds }: WindowMeta): number => sourceIds[0] as number
const usesZone = ({ span, aligned }: WindowSettings): boolean =>
  aligned || (span !== null && span.unit !== 'minute' && span.unit !== 'hour')

async function readPeriods(
  db: Db,
  group: readonly WindowMeta[],
  span: NonNullable<WindowSettings['span']>,
  timeZone: string,
  now: Date,
): Promise<((sourceId: number) => Seen) | null> {
  const { operation, aligned } = (group[0] as WindowMeta).window
  const sourceIds = [...new Set(group.map(sourceOf))]
  const bounds = periodAt(span, aligned, now.getTime(), timeZone)
  const { fromMs } = bounds
  const contents = await readContents(
    db,
    sourceIds,
    { fromMs, toMs: now.getTime() + 1 },
    operation === 'median',
  )
  if (contents === null) return null
  let previous: Map<number, Contents> | null = new Map()
  if (operation === 'periodDifference') {
    const beforeMs = startBefore(span, aligned, fromMs, timeZone)
    previous = await readContents(db, sourceIds, { fromMs: beforeMs, toMs: fromMs }, false)
    if (previous === null) return null
  }
  const before = previous
  return (sourceId) => ({
    bounds,
    contents: contents.get(sourceId) ?? null,
    previous: before.get(sourceId) ?? null,
    difference: null,
    nextMs: null,
  })
}

async function readDifferences(
  db: Db,
  group: readonly WindowMeta[],
  now: Date,
): Promise<(sourceId: number) => Seen> {
  const found = await readLastTwo(db, [...new Set(group.map(sourceOf))], now)
  return (sourceId) => {
    const [last, before] = found.get(sourceId) ?? []
    const difference = last === undefined || before === undefined ? null : last.number - before.number
    const contents = last === undefined ? null : { ...nothing, firstMs: last.timeMs, lastMs: last.timeMs }
    return { bounds: { fromMs: 0, endMs: null }, contents, previous: null, difference, nextMs: null }
  }
}

const nothing = { total: 2, numbers: 2, sum: null, min: null, max: null, median: null, latest: null }
