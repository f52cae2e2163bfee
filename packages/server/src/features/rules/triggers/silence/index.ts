import type { SilenceTrigger } from '@leitstand/contract/rules/triggers/silence'
import { isStateMetric } from '../../metrics/index.ts'
import { isRelated } from '../../metrics/related/index.ts'
import type { TriggerDefinition, TriggeredRule } from '../types.ts'

const minuteMs = 60_000

/**
 * The metric's state has had no value for some minutes. The next value wakes the rule as well, so that what began with the
 * silence ends with it.
 */
export const silence: TriggerDefinition<SilenceTrigger> = {
  check(trigger, rule) {
    if (stateOf(trigger, rule) !== undefined || byKey(trigger, rule) !== undefined) return []
    return [{ path: ['metric'], message: `there is no metric ${trigger.metric}`, text: 'aliasUnknown' }]
  },
  states(trigger, rule) {
    const stateId = stateOf(trigger, rule)
    return stateId === undefined ? [] : [stateId]
  },
  silence(trigger, rule) {
    const stateId = stateOf(trigger, rule)
    return stateId === undefined ? null : { stateId, ms: trigger.minutes * minuteMs }
  },
  aliases(trigger, rule) {
    const alias = byKey(trigger, rule)
    return alias === undefined ? [] : [alias]
  },
  silenceOf(trigger, rule) {
    const alias = byKey(trigger, rule)
    return alias === undefined ? null : { alias, ms: trigger.minutes * minuteMs }
  },
}

/** A metric that names one state by key: not those of all children. */
function byKey({ metric }: SilenceTrigger, { metrics }: TriggeredRule): string | undefined {
  return metrics.filter(isRelated).find(({ alias, of }) => alias === metric && of !== 'children')?.alias
}

function stateOf({ metric }: SilenceTrigger, { metrics }: TriggeredRule): number | undefined {
  return metrics.filter(isStateMetric).find(({ alias }) => alias === metric)?.stateId
}
