import * as z from 'zod'

/** The newest value of any type. The window is optional. */
export const latest = { operation: z.literal('latest').default('latest') }
