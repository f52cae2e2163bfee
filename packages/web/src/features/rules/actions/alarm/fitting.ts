import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'

type Category = NonNullable<AlarmAction['category']>

interface Wakes {
  triggers: readonly { kind: string }[]
  metrics: readonly { alias: string }[]
}

/** Triggers that say nothing about a device. */
const neutral: ReadonlySet<string> = new Set(['cron', 'daily', 'interval', 'manual', 'rule', 'alarm'])

/** The category of an alarm for which none was chosen: what wakes the rule, and what its metrics are called, suggests it. */
export function fittingCategory({ triggers, metrics }: Wakes): Category {
  if (triggers.some(({ kind }) => kind === 'silence')) return 'connectivity'
  if (metrics.some(({ alias }) => /batter|akku/i.test(alias))) return 'battery'
  return triggers.every(({ kind }) => neutral.has(kind)) ? 'unknown' : 'device'
}

/** An action with the category that fits, if it is an alarm without one. */
export function withCategory<A extends { kind: string }>(action: A, wakes: Wakes): A {
  if (action.kind !== 'alarm' || (action as { category?: Category }).category !== undefined) return action
  return { ...action, category: fittingCategory(wakes) }
}
