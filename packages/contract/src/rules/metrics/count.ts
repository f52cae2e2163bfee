import * as z from 'zod'

/** The number of values of any type in the window. */
export const count = { operation: z.literal('count') }
