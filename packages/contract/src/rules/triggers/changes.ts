import * as z from 'zod'

/** A current value that differs from the previous one of its state. */
export const ChangesTrigger = z.object({ kind: z.literal('changes') })
