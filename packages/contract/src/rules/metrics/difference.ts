import * as z from 'zod'

/** The newest number in the window minus the oldest. */
export const difference = { operation: z.literal('difference') }
