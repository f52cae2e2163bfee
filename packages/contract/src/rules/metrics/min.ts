import * as z from 'zod'

/** The smallest number in the window. */
export const min = { operation: z.literal('min') }
