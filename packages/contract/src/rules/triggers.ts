import * as z from 'zod'
import { AlarmTrigger } from './triggers/alarm.ts'
import { ChangesTrigger } from './triggers/changes.ts'
import { CronTrigger } from './triggers/cron.ts'
import { DailyTrigger } from './triggers/daily.ts'
import { GeofenceTrigger } from './triggers/geofence.ts'
import { HealthTrigger } from './triggers/health.ts'
import { IntervalTrigger } from './triggers/interval.ts'
import { ManualTrigger } from './triggers/manual.ts'
import { RuleStateTrigger } from './triggers/rule.ts'
import { SilenceTrigger } from './triggers/silence.ts'
import { ValuesTrigger } from './triggers/values.ts'

/** Triggers that refer to nothing outside of their rule. */
const ownTriggers = [
  ValuesTrigger,
  ChangesTrigger,
  SilenceTrigger,
  DailyTrigger,
  IntervalTrigger,
  CronTrigger,
  AlarmTrigger,
  HealthTrigger,
  ManualTrigger,
] as const

/** Every kind of trigger. */
export const RuleTrigger = z.discriminatedUnion('kind', [...ownTriggers, RuleStateTrigger, GeofenceTrigger])
export type RuleTrigger = z.infer<typeof RuleTrigger>
export type TriggerKind = RuleTrigger['kind']

/** The same in a device template, which knows no rules outside of it. */
export const TemplateRuleTrigger = z.discriminatedUnion('kind', ownTriggers)

/** Maximum triggers of a rule. */
const triggersMax = 10

/** What wakes a rule. One that people run by hand only has no other trigger. */
export const RuleTriggers = triggersOf(RuleTrigger)
export const TemplateRuleTriggers = triggersOf(TemplateRuleTrigger)

function triggersOf<T extends z.ZodType<{ kind: TriggerKind }>>(trigger: T) {
  return z.array(trigger).min(1).max(triggersMax)
}
