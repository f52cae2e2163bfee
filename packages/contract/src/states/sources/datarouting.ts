import * as z from 'zod'

/** A routing packet that names one of the twin's reference ids and this state's key. */
export const datarouting = z.object({})
