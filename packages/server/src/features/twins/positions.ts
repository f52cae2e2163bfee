import type { PositionAxis } from '@leitstand/contract/states'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { twinMoved } from '../../topics/index.ts'
import type { TwinMove } from '../series/index.ts'
import { movePositions } from './store/objects.ts'

const degreesMax = { latitude: 90, longitude: 180 } as const

/** Moves twins to where their states are. @param isFollowed nobody needs the events otherwise, which cost as much as a value */
export async function moveTwins(
  { events }: Pick<Context, 'events'>,
  tx: Executor,
  moves: readonly TwinMove[],
  isFollowed = true,
): Promise<void> {
  const moved = await movePositions(tx, moves)
  if (!isFollowed) return
  const times = new Map(moves.map(({ twinId, time }) => [twinId, time]))
  await events.appendAll(
    tx,
    moved.map(({ accountId, ...place }) => {
      const timeMs = times.get(place.twinId)?.getTime() ?? null
      return twinMoved.event(accountId, { ...place, by: 'values', timeMs })
    }),
  )
}

/** Moves a twin to the current value of a state that was linked to its position. */
export async function moveTo(
  ctx: Pick<Context, 'events'>,
  tx: Executor,
  twinId: number,
  axis: PositionAxis,
  value: number,
): Promise<void> {
  if (Math.abs(value) > degreesMax[axis]) return
  await moveTwins(ctx, tx, [{ twinId, latitude: null, longitude: null, time: null, [axis]: value }])
}
