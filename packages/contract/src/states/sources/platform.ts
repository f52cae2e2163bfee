import * as z from 'zod'

/** Set through the API or by a rule. */
export const platform = z.object({})
