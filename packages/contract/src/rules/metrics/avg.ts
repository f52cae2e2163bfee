import * as z from 'zod'

/** The mean of the numbers in the window. */
export const avg = { operation: z.literal('avg') }
