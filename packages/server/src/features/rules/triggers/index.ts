import type { Metric, TriggerKind } from '@leitstand/contract/rules'
import type { Trigger, TriggerTools } from './types.ts'
import { values } from './values/index.ts'

/** Every kind of trigger. */
export const triggers = { values } satisfies Readonly<Record<TriggerKind, Trigger>>

type Consumers = { [K in TriggerKind]: ReturnType<(typeof triggers)[K]['start']> }

/** The states whose values wake a rule, each once. */
export function wakingStatesOf(rule: { metrics: readonly Metric[] }): number[] {
  return [...new Set(Object.values(triggers).flatMap((trigger) => trigger.states(rule)))]
}

/** Starts every trigger. @returns their consumers of events, for replays and tests */
export function startTriggers(tools: TriggerTools): Consumers {
  const started = Object.entries(triggers).map(([kind, trigger]) => [kind, trigger.start(tools)])
  return Object.fromEntries(started) as Consumers
}
