import * as z from 'zod'

/** Set by hand or by a rule. */
export const none = z.object({})
