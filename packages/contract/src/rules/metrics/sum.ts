import * as z from 'zod'

/** The sum of the numbers in the window. */
export const sum = { operation: z.literal('sum') }
