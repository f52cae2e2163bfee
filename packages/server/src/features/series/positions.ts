import type { Executor } from '../../platform/db/index.ts'
import { type Reading, readLastBefore, readNewest, readPositionStates } from './positions.store.ts'

/** Where something was, from `time` until it was last seen there. */
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
 * Where a twin or device was in a period, by the values of its states whose keys start with lat or lon: the newest
 * `max` places, oldest first. Places it reported again without having moved are one.
 * @returns also whether there are older ones in the period, and whether it has states that say where it is
 */
export async function readPositions(
  db: Executor,
  twinId: number,
  { start, end }: Span,
  max: number,
): Promise<{ positions: Position[]; more: boolean; reports: boolean }> {
  const axes = new Map((await readPositionStates(db, twinId)).map(({ id, key }) => [id, axisOf(key)]))
  const stateIds = [...axes.keys()]
  if (stateIds.length === 0) return { positions: [], more: false, reports: false }
  const readings = await readNewest(db, stateIds, { start, end }, max + 1)
  // Where one state has more values than were read, the others are not looked at further back either.
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

type Axis = 'latitude' | 'longitude'

const axisOf = (key: string): Axis => (key.toLowerCase().startsWith('lat') ? 'latitude' : 'longitude')
const degreesMax = { latitude: 90, longitude: 180 } as const

/**
 * Places from single degrees: each moves what is known, as it moved the twin when it came in; those of one moment
 * together.
 * @param before what was known already; gives no place by itself
 * @param readings ascending by time
 */
export function join(
  before: readonly Reading[],
  readings: readonly Reading[],
  axes: ReadonlyMap<number, Axis>,
): Position[] {
  const known: Partial<Record<Axis, number>> = {}
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
