import { describe, expect, it } from 'vitest'
import type { TemplateRule } from './queries.ts'
import { fromRuleDraft, missingKeys, toRuleDraft } from './rules.ts'

const states = [{ key: 'level' }, { key: 'pump' }]
const rule: TemplateRule = {
  title: 'Full',
  active: true,
  pausedUntil: null,
  triggers: [{ kind: 'silence', metric: 'level', minutes: 30 }, { kind: 'values' }],
  metrics: [{ alias: 'level', stateKey: 'level', operation: 'avg', lastMinutes: 10, abortIfNull: true }],
  conditions: { op: 'and', conditions: [{ op: 'gt', left: { metric: 'level' }, right: { value: 90 } }] },
  throttleHours: 1,
  executionTimes: null,
  actions: [
    { kind: 'set-state', stateKey: 'pump', value: { value: true } },
    { kind: 'alarm', severity: 'error', category: 'device', message: 'full' },
  ],
}

describe('rules of a template', () => {
  it('come out of the sheet as they went in', () => {
    expect(fromRuleDraft(toRuleDraft(rule, states), states)).toEqual(rule)
  })

  it('name states the template does not have', () => {
    expect(missingKeys(rule, states)).toEqual([])
    expect(missingKeys(rule, [{ key: 'level' }])).toEqual(['pump'])
  })

  it('ask for a state that is gone to be chosen anew', () => {
    const draft = toRuleDraft(rule, [{ key: 'pump' }])
    expect(draft.metrics.map(({ stateId }) => stateId)).toEqual([null])
  })
})
