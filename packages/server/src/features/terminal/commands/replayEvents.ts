import * as z from 'zod'
import { message } from '../output.ts'
import { findParked } from '../store.ts'
import { repairing } from '../types.ts'

/** As many as are kept of an account. */
const eventsMax = 1_000
const consumer = { name: 'consumer', schema: z.string().regex(/^[\w.-]{1,100}$/) }

/** Tries parked events of a consumer again. */
export const replayEvents = repairing(consumer, {
  preview: async ({ ctx }, name) => {
    const { length: count } = await findParked(ctx.db, name, eventsMax)
    return [message('wouldReplayEvents', { consumer: name, count })]
  },
  work: async ({ ctx }, name) => {
    const { length: count } = await ctx.db
      .transaction()
      .execute(async (tx) => ctx.events.requestRetry(tx, await findParked(tx, name, eventsMax)))
    return [message('replaysEvents', { consumer: name, count })]
  },
})
