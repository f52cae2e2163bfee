import * as z from 'zod'

/** The oldest value of any type in the window. */
export const first = { operation: z.literal('first') }
