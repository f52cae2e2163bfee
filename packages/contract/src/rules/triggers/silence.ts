import * as z from 'zod'
import { Alias } from '../operand.ts'

/** Maximum minutes of silence: 90 days. */
export const silenceMinutesMax = 129_600

/** The state of a metric has had no value for so many minutes. Wakes once for each silence. */
export const SilenceTrigger = z.object({
  kind: z.literal('silence'),
  metric: Alias,
  minutes: z.int().min(1).max(silenceMinutesMax),
})
export type SilenceTrigger = z.infer<typeof SilenceTrigger>
