import { facts, table } from '../output.ts'
import { readConsumers, readOutbox } from '../store.ts'
import { reading } from '../types.ts'

/** Consumers of events: when they last moved on, and what they have parked. */
export const consumers = reading(async ({ ctx, signal }) => {
  const rows = await readConsumers(ctx.db)
  signal.throwIfAborted()
  const { events, oldest } = await readOutbox(ctx.db)
  return [
    facts({
      'stored events': events,
      'oldest of them': oldest,
      'late here (ms)': Math.round(ctx.events.lateMs),
    }),
    table(['consumer', 'slices', 'moved', 'parked', 'oldest'], rows),
  ]
})
