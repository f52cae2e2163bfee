import * as z from 'zod'

/** The time of the evaluation in the zone of the account: minutes since midnight, hour, or weekday (1 is Monday). */
export const clock = { operation: z.literal('clock'), clock: z.enum(['minutes', 'hour', 'weekday']) }
