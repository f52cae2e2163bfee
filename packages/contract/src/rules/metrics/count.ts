import * as z from 'zod'

/** How many values of any type are in the window. */
export const count = { operation: z.literal('count') }
