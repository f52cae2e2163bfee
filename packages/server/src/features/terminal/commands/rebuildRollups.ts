import * as z from 'zod'
import { message } from '../output.ts'
import { repairing } from '../types.ts'

const month = { name: 'month', schema: z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/) }

/** Computes the roll-ups of a month again from its values, in the background. */
export const rebuildRollups = repairing(month, {
  preview: async (_, given) => [message('wouldRebuild', { month: given })],
  work: async ({ ctx, series }, given) => {
    await ctx.db.transaction().execute((tx) => series.requestRebuild(tx, `${given}-01`))
    return [message('rebuilds', { month: given })]
  },
})
