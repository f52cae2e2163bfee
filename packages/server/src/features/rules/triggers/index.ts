import type { Metric, RuleTrigger } from '@leitstand/contract/rules'
import type { GeofenceTrigger } from '@leitstand/contract/rules/triggers/geofence'
import type { Use } from '../../../platform/uses.ts'
import type { Related } from '../metrics/related/index.ts'
import type { Issue } from '../types.ts'
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
import type { Silence, TriggerDefinition, TriggerDefinitions, Watch } from './types.ts'
import { values } from './values/index.ts'

/** Every kind of trigger. */
const triggerKinds: TriggerDefinitions = {
  values,
  changes,
  silence,
  daily,
  interval,
  cron,
  alarm,
  health,
  rule,
  geofence,
  manual,
}

export interface Triggered {
  triggers: readonly RuleTrigger[]
  metrics: readonly Metric[]
}

function kindOf({ kind }: RuleTrigger): TriggerDefinition<RuleTrigger> {
  return triggerKinds[kind] as TriggerDefinition<RuleTrigger>
}

/** The states whose values wake a rule, each once. */
export function wakingStatesOf(triggered: Triggered): number[] {
  const states = triggered.triggers.flatMap((trigger) => kindOf(trigger).states?.(trigger, triggered) ?? [])
  return [...new Set(states)]
}

/** Aliases of the metrics by key whose values wake a rule. */
export function wakingAliasesOf(triggered: Triggered): Set<string> {
  return new Set(triggered.triggers.flatMap((each) => kindOf(each).aliases?.(each, triggered) ?? []))
}

/** The states that metrics name by key on one twin, and whose values wake the rule there. */
export function wakingRelated(triggered: Triggered & { related: Related }): number[] {
  return [...wakingAliasesOf(triggered)].flatMap((alias) => triggered.related.get(alias) ?? [])
}

/** Silences of states that metrics name by key, with the positions of their triggers. */
export function silencesByKeyOf(triggered: Triggered): { trigger: number; alias: string; ms: number }[] {
  return triggered.triggers.flatMap((each, trigger) => {
    const silence = kindOf(each).silenceOf?.(each, triggered) ?? null
    return silence === null ? [] : [{ trigger, ...silence }]
  })
}

/** What else wakes the rule of a twin, each object once. */
export function watchesOf({ triggers }: Pick<Triggered, 'triggers'>, twinId: number): Watch[] {
  const watches = new Map<string, Watch>()
  for (const watch of triggers.flatMap((trigger) => kindOf(trigger).watches?.(trigger, twinId) ?? [])) {
    const key = `${watch.kind} ${watch.id}`
    watches.set(key, { ...watch, below: watch.below || watches.get(key)?.below === true })
  }
  return [...watches.values()]
}

/** The rules whose state wakes a rule. */
export function watchedRulesOf(rule: Pick<Triggered, 'triggers'>): number[] {
  // The twin does not matter for rules.
  return watchesOf(rule, 0).flatMap(({ kind, id }) => (kind === 'rule' ? [id] : []))
}

/** The areas that twins cross to wake a rule, each with its position among the triggers. */
export function fencesOf({
  triggers,
}: Pick<Triggered, 'triggers'>): { fence: GeofenceTrigger; at: number }[] {
  return triggers.flatMap((trigger, at) => {
    const fence = kindOf(trigger).fence?.(trigger)
    return fence === undefined ? [] : [{ fence, at }]
  })
}

/** What triggers refer to outside of their rule, apart from rules. */
export function usesOfTriggers(triggers: readonly RuleTrigger[]): Use[] {
  return triggers.flatMap((trigger) => kindOf(trigger).uses?.(trigger) ?? [])
}

/** A trigger that waits for the clock. */
export type Waiting = { trigger: number } & ({ dueAt: Date } | { silence: Silence })

/** The triggers of a rule that wait for the clock. */
export function waitingOf(triggered: Triggered, now: Date, timeZone: string): Waiting[] {
  return triggered.triggers.flatMap((each, trigger): Waiting[] => {
    const silent = kindOf(each).silence?.(each, triggered) ?? null
    if (silent !== null) return [{ trigger, silence: silent }]
    const dueAt = nextOf(each, now, timeZone)
    return dueAt === null ? [] : [{ trigger, dueAt }]
  })
}

/** Pure. The first time after `after` at which a trigger wakes its rule; null: never again, or not by the clock. */
export function nextOf(trigger: RuleTrigger, after: Date, timeZone: string): Date | null {
  return kindOf(trigger).next?.(trigger, after, timeZone) ?? null
}

/** Checks triggers as far as possible without the database. */
export function checkTriggers(triggered: Triggered): Issue[] {
  return triggered.triggers.flatMap((trigger, index) =>
    (kindOf(trigger).check?.(trigger, triggered) ?? []).map((issue) => ({
      ...issue,
      path: ['triggers', String(index), ...issue.path],
    })),
  )
}

/** Whether equal values must not wake the rule: it follows changes, not values. */
export function followsChangesOnly({ triggers }: Pick<Triggered, 'triggers'>): boolean {
  return triggers.some(({ kind }) => kind === 'changes') && !triggers.some(({ kind }) => kind === 'values')
}
