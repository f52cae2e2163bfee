import { message, table } from '../output.ts'
import { readQueues } from '../store.ts'
import { reading } from '../types.ts'

/** Queues of background jobs with work or failures. */
export const queues = reading(async ({ ctx }) => {
  const rows = await readQueues(ctx.db)
  return rows.length === 0
    ? [message('nothing')]
    : [table(['queue', 'waiting', 'active', 'failed', 'oldest'], rows)]
})
