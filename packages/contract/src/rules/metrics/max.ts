import * as z from 'zod'

/** The largest number in the window. */
export const max = { operation: z.literal('max') }
