import * as z from 'zod'

/** Set by the platform itself. */
export const system = z.object({})
