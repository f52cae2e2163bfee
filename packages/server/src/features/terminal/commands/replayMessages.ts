import * as z from 'zod'
import { message } from '../output.ts'
import { repairing } from '../types.ts'

const connector = { name: 'connector', schema: z.coerce.number().int().min(1).max(2_147_483_647) }

/** Processes everything again that a connector has refused, as a background job. */
export const replayMessages = repairing(connector, {
  preview: async ({ caller, letters }, id) => {
    const { name, count } = await letters.replaying.count(caller, id)
    return [message('wouldReplayMessages', { name, count })]
  },
  work: async ({ caller, letters }, id) => {
    const { name, count } = await letters.replaying.count(caller, id)
    if (count > 0) await letters.replaying.start(caller, id)
    return [message('replaysMessages', { name, count })]
  },
})
