import type { Db } from '../../../platform/db/index.ts'
import type { EdgeName, SeriesFeature, Summary } from '../../series/index.ts'
import { type PaneSummary, PaneWindow, paneLength } from './panes.ts'
import { RawWindow } from './raw.ts'
import { readStretches, type StretchNumbers } from './store.ts'
import { summariesInTime } from './summaries.ts'

/** Numbers of a window that is kept value by value because its operation needs each of them, and of a pane. */
export const numbersMax = 10_000
const edges: ReadonlySet<EdgeName> = new Set<EdgeName>(['firstNumber', 'lastNumber'])

export type Window = PaneWindow | RawWindow

/** How a window is kept: as panes, or value by value. Its values are `Infinity` when only its time bounds it. */
export type Shape = { kind: 'panes'; windowMs: number } | { kind: 'raw'; values: number; windowMs: number }

export interface Parts {
  db: Db
  series: Pick<SeriesFeature, 'summaries'>
}

interface Asked {
  stateId: number
  shape: Shape
  until: Date
}

/** What is read of a new window: whole panes since `fromMs`, then the newest numbers. */
interface Plan extends Asked {
  fromMs: number
  tail: { fromMs: number; max: number }
}

/**
 * Reads windows from the history with few queries for all of them together: whole panes from roll-ups, and the newest
 * numbers one by one.
 * @returns in their order; null: it has something else than numbers, too many, or reading takes too long
 */
export async function readWindows(parts: Parts, asked: readonly Asked[]): Promise<(Window | null)[]> {
  const plans = asked.map(planOf)
  // Before the newest numbers: what is added meanwhile is then at least in one of them.
  const middles = await readMiddles(parts, plans)
  const tails = await readStretches(
    parts.db,
    plans.map(({ stateId, tail }) => ({ stateId, toMs: null, ...tail })),
  )
  return plans.map((plan, index) => windowOf(plan, middles.get(plan) ?? null, tails[index] ?? null))
}

function planOf(asked: Asked): Plan {
  const { shape, until } = asked
  const untilMs = until.getTime()
  if (shape.kind === 'raw') {
    // A window begins after this moment.
    const fromMs = untilMs - shape.windowMs + 1
    return { ...asked, fromMs, tail: { fromMs, max: Math.min(shape.values, numbersMax) + 1 } }
  }
  const lengthMs = paneLength(shape.windowMs)
  const fromMs = Math.floor((untilMs - shape.windowMs) / lengthMs) * lengthMs
  const tailMs = (Math.floor(untilMs / lengthMs) - 1) * lengthMs
  return { ...asked, fromMs, tail: { fromMs: Math.max(fromMs, tailMs), max: 4 * numbersMax } }
}

function windowOf(
  { shape, until, fromMs, tail }: Plan,
  middle: readonly PaneSummary[] | null,
  newest: StretchNumbers,
): Window | null {
  if (newest === null || middle === null) return null
  const count = newest.times.length
  if (shape.kind === 'raw') {
    if (shape.values === Number.POSITIVE_INFINITY && count > numbersMax) return null
    const knownFromMs = count < tail.max ? fromMs : (newest.times[0] as number)
    return new RawWindow({ values: shape.values, ms: shape.windowMs }, newest, knownFromMs)
  }
  if (count === tail.max) return null
  const window = new PaneWindow(shape.windowMs, fromMs, until.getTime())
  for (const pane of middle) window.set(pane)
  for (const [place, timeMs] of newest.times.entries()) window.add(timeMs, newest.numbers[place] as number)
  return window
}

/** The whole panes of windows; those that cannot be read as numbers are missing. */
async function readMiddles({ series }: Parts, plans: readonly Plan[]): Promise<Map<Plan, PaneSummary[]>> {
  const middles = new Map<Plan, PaneSummary[]>()
  const groups = new Map<string, Plan[]>()
  for (const plan of plans) {
    const { shape, fromMs, tail } = plan
    if (shape.kind === 'raw' || fromMs >= tail.fromMs) middles.set(plan, [])
    else {
      const name = `${shape.windowMs} ${fromMs} ${tail.fromMs}`
      groups.set(name, [...(groups.get(name) ?? []), plan])
    }
  }
  for (const group of groups.values()) {
    const { rows, tooSlow } = await summariesOf(series, group)
    const byState = Map.groupBy(rows, ({ stateId }) => stateId)
    for (const plan of group) {
      // It is not kept: the history is read instead.
      if (tooSlow.has(plan.stateId)) continue
      const panes = (byState.get(plan.stateId) ?? []).map(toPane)
      if (panes.every((pane) => pane !== null)) middles.set(plan, panes)
    }
  }
  return middles
}

function summariesOf(series: Parts['series'], group: readonly Plan[]) {
  const { shape, fromMs, tail } = group[0] as Plan
  const starts: number[] = []
  const lengthMs = paneLength(shape.windowMs)
  for (let start = fromMs; start < tail.fromMs; start += lengthMs) starts.push(start)
  const range = { start: new Date(fromMs), end: new Date(tail.fromMs) }
  const stateIds = [...new Set(group.map(({ stateId }) => stateId))]
  return summariesInTime(series.summaries, stateIds, { range, starts, edges })
}

function toPane({ startMs, numbers, texts, sum, min, max, firstNumber, lastNumber }: Summary) {
  if (texts > 0 || sum === null || min === null || max === null) return null
  if (firstNumber === null || lastNumber === null) return null
  return { startMs, numbers, sum, min, max, first: firstNumber, last: lastNumber }
}
