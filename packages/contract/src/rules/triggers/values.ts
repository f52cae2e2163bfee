import * as z from 'zod'

/** Every new current value of a state that its metrics use. */
export const ValuesTrigger = z.object({ kind: z.literal('values') })
