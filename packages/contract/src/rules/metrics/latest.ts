import * as z from 'zod'

/** The newest value of any type. It may do without a window. */
export const latest = { operation: z.literal('latest').default('latest') }
