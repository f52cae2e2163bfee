import * as z from 'zod'

/** The text of a key-value of the rule's twin. */
export const property = { operation: z.literal('property'), property: z.string().trim().min(1).max(100) }
