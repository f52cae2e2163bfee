import * as z from 'zod'
import { alarmCategories } from '../../alarms.ts'
import { RecipientAddress } from './email.ts'

export const escalationLimits = {
  stepsMax: 5,
  recipientsMax: 20,
  /** a week */
  everyMinutesMax: 10_080,
  /** thirty days */
  afterMinutesMax: 43_200,
} as const

/**
 * Who is reminded of an open alarm by e-mail: each step's recipients so many minutes after it was raised, and from the first step
 * on everybody reached so far every `everyMinutes`, until the alarm is resolved, or somebody has acknowledged it.
 */
export const AlarmEscalation = z.object({
  /** null: at each step only */
  everyMinutes: z.int().min(1).max(escalationLimits.everyMinutesMax).nullable(),
  until: z.enum(['acknowledged', 'resolved']),
  steps: z
    .array(
      z.object({
        afterMinutes: z.int().min(1).max(escalationLimits.afterMinutesMax),
        recipients: z.array(RecipientAddress).min(1).max(escalationLimits.recipientsMax),
      }),
    )
    .min(1)
    .max(escalationLimits.stepsMax),
})
export type AlarmEscalation = z.infer<typeof AlarmEscalation>

/**
 * Raises an alarm that is resolved when the conditions are no longer met. Its message may contain
 * placeholders.
 */
export const AlarmAction = z.object({
  kind: z.literal('alarm'),
  severity: z.enum(['warning', 'error']),
  /** absent: `unknown` */
  category: z.enum(alarmCategories).optional(),
  message: z.string().trim().min(1).max(500),
  /** absent: nobody is reminded */
  escalation: AlarmEscalation.optional(),
})
export type AlarmAction = z.infer<typeof AlarmAction>
