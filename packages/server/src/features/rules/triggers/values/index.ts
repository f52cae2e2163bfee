import type { EventOf } from '../../../../platform/events/index.ts'
import { valuesStored } from '../../../../topics/index.ts'
import { statesOf } from '../../metrics/index.ts'
import type { Trigger } from '../types.ts'
import { planWakes, wakingStates } from './plan.ts'

type Event = EventOf<typeof valuesStored>

/** Stored values that are the newest of their state. Late values go into the history and wake nothing. */
export const values = {
  states: ({ metrics }) => statesOf(metrics),
  start({ ctx, series, cache, run }) {
    /**
     * Handles a batch of events, in order. Throws when something other than a rule fails; then the batch is
     * retried.
     */
    const handle = async (events: readonly Event[]): Promise<void> => {
      const rulesOf = await cache.wokenBy(wakingStates(events))
      if (rulesOf.size === 0) return
      for (const wakes of planWakes(events, rulesOf)) await run(wakes)
    }
    series.follow((stateId) => cache.mayWake(stateId))
    ctx.events.consume({
      name: 'rules',
      topics: [valuesStored],
      partition: ({ accountId }) => accountId ?? 0,
      handle,
    })
    return handle
  },
} satisfies Trigger
