import * as z from 'zod'

/** The median of the numbers in the window. */
export const median = { operation: z.literal('median') }
