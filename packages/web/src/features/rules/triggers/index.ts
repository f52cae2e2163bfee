import type { RuleTrigger, TriggerKind } from '@leitstand/contract/rules'
import { alarm } from './alarm/index.ts'
import { changes } from './changes/index.ts'
import { cron } from './cron/index.ts'
import { daily } from './daily/index.ts'
import { geofence } from './geofence/index.ts'
import { health } from './health/index.ts'
import { interval } from './interval/index.ts'
import { manual } from './manual/index.ts'
import { rule } from './rule/index.ts'
import { silence } from './silence/index.ts'
import type { TriggerFault, TriggerKindView, TriggerWords } from './types.ts'
import { values } from './values/index.ts'

/** All kinds of triggers, in the menu's order. */
export const triggerKinds: {
  readonly [K in TriggerKind]: TriggerKindView<Extract<RuleTrigger, { kind: K }>>
} = { values, changes, silence, daily, interval, cron, alarm, health, geofence, rule, manual }

export const triggerKindNames = Object.keys(triggerKinds) as TriggerKind[]

export function triggerKind({ kind }: { kind: TriggerKind }): TriggerKindView<RuleTrigger> {
  return triggerKinds[kind] as TriggerKindView<RuleTrigger>
}

/** A trigger being edited, with a key for its place in the list. */
export type TriggerDraft = RuleTrigger & { id: number }

export function toTriggerDraft(id: number, trigger: RuleTrigger): TriggerDraft {
  return { ...trigger, id }
}

export function fromTriggerDraft({ id: _, ...trigger }: TriggerDraft): RuleTrigger {
  return trigger
}

export function triggerFaults(trigger: RuleTrigger, aliases: readonly string[]): TriggerFault[] {
  return triggerKind(trigger).faults?.(trigger, aliases) ?? []
}

export function renameInTrigger(trigger: RuleTrigger, from: string, to: string): RuleTrigger {
  return triggerKind(trigger).rename?.(trigger, from, to) ?? trigger
}

/** The same triggers in a rule for many. */
export function triggersForMany(triggers: readonly TriggerDraft[]): TriggerDraft[] {
  return triggers.map((trigger) =>
    toTriggerDraft(trigger.id, triggerKind(trigger).forMany?.(fromTriggerDraft(trigger)) ?? trigger),
  )
}

/** Twins and devices that the words of triggers name. */
export function twinsOfTriggers(triggers: readonly RuleTrigger[]): number[] {
  return triggers.flatMap((trigger) => triggerKind(trigger).twins?.(trigger) ?? [])
}

/** When a rule is checked, in words. */
export function triggersPhrase(triggers: readonly RuleTrigger[], words: TriggerWords): string {
  const phrases = triggers.map((trigger) => triggerKind(trigger).phrase(trigger, words))
  return words.list([...new Set(phrases)])
}
