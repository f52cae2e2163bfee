import type { PositionAxis } from '@leitstand/contract/states'
import type { Executor } from '../../platform/db/index.ts'
import { type Reading, readLastBefore, readNewest, readPositionStates } from './positions.store.ts'

/** A position, from `time` until it was last reported. */
export interface Position {
  time: Date
  until: Date
  latitude: number
  longitude: number
}

interface Span {
  start: Date
  end: Date
}

/**
 * Positions of a twin or device in a period, from the states that are its latitude and longitude: the newest
 * `max`, oldest first. Repeated reports of the same position are merged.
 * @returns also whether the period has older positions (`more`), and whether there are position states
 *   (`reports`)
 */
export async function readPositions(
  db: Executor,
  twinId: number,
  { start, end }: Span,
  max: number,
): Promise<{ positions: Position[]; more: boolean; reports: boolean }> {
  const axes = new Map((await readPositionStates(db, twinId)).map(({ id, axis }) => [id, axis]))
  const stateIds = [...axes.keys()]
  if (stateIds.length === 0) return { positions: [], more: false, reports: false }
  const readings = await readNewest(db, stateIds, { start, end }, max + 1)
  // If one state has more values than were read, ignore older values of the others as well.
  const full = Map.groupBy(readings, ({ stateId }) => stateId).values()
  const cuts = [...full].flatMap((own) => (own.length > max ? [own[0]?.time ?? start] : []))
  const from = new Date(Math.max(start.getTime(), ...cuts.map((cut) => cut.getTime())))
  const before = await readLastBefore(db, stateIds, from)
  const all = join(
    before,
    readings.filter(({ time }) => time >= from),
    axes,
  )
  return { positions: all.slice(-max), more: cuts.length > 0 || all.length > max, reports: true }
}

const degreesMax = { latitude: 90, longitude: 180 } as const

/**
 * Combines latitude and longitude readings into positions. Each reading updates the last known position, as
 * it did when it was stored; readings with the same time are applied together.
 * @param before values known at the start; they produce no position by themselves
 * @param readings ascending by time
 */
export function join(
  before: readonly Reading[],
  readings: readonly Reading[],
  axes: ReadonlyMap<number, PositionAxis>,
): Position[] {
  const known: Partial<Record<PositionAxis, number>> = {}
  const take = ({ stateId, value }: Reading): void => {
    const axis = axes.get(stateId)
    if (axis !== undefined && Math.abs(value) <= degreesMax[axis]) known[axis] = value
  }
  for (const reading of before.toSorted((a, b) => a.time.getTime() - b.time.getTime())) take(reading)
  const positions: Position[] = []
  for (const [ms, together] of Map.groupBy(readings, ({ time }) => time.getTime())) {
    for (const reading of together) take(reading)
    const { latitude, longitude } = known
    if (latitude === undefined || longitude === undefined) continue
    const time = new Date(ms)
    const last = positions.at(-1)
    if (last && last.latitude === latitude && last.longitude === longitude) last.until = time
    else positions.push({ time, until: time, latitude, longitude })
  }
  return positions
}
