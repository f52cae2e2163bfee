import { type HealthCondition, HealthConfig } from '@leitstand/contract/health'
import { describe, expect, it } from 'vitest'
import { comparison, judge, planOf } from './plan.ts'

const holds = (operator: HealthCondition['operator'], value: HealthCondition['value'], of: unknown) =>
  comparison({ operator, value })(of as never)

describe('a comparison', () => {
  it.each([
    ['lt', 3, 2.9, true],
    ['lt', 3, 3, false],
    ['lte', 3, 3, true],
    ['gt', 3, 3, false],
    ['gte', 3, 3, true],
    ['eq', 3, 3, true],
    ['ne', 3, 3, false],
    ['eq', true, 1, true],
    ['eq', 1, true, true],
    ['gte', 1, false, false],
    ['eq', 'open', 'open', true],
    ['ne', 'open', 'closed', true],
  ] as const)('%s %s of %s is %s', (operator, value, of, answer) => {
    expect(holds(operator, value, of)).toBe(answer)
  })

  it.each([
    ['lt', 3, '2'],
    ['eq', 3, null],
    ['ne', 3, [1]],
    ['eq', '3', 3],
    ['lt', 'b', 'a'],
  ] as const)('%s %s says nothing of %s', (operator, value, of) => {
    expect(holds(operator, value, of)).toBeNull()
  })
})

const entry = { category: 'battery', type: 'warning' } as const
const plan = (entries: object[], more: object = {}) =>
  planOf(HealthConfig.parse({ entries, ...more }), 'd1.1')

describe('a configuration made ready', () => {
  it('says of each packet what it can, and nothing of what the packet does not carry', () => {
    const made = plan([
      { ...entry, identifier: 'low', condition: { variable: 'battery', operator: 'lt', value: 20 } },
      { ...entry, identifier: 'hot', condition: { variable: 'temperature', operator: 'gt', value: 60 } },
    ])
    if (made === null) throw new Error('no plan')
    expect(judge(made, { battery: 10, temperature: 20 })).toEqual({ on: ['low'], off: ['hot'] })
    expect(judge(made, { battery: 30 })).toEqual({ on: [], off: ['low'] })
    expect(judge(made, { humidity: 30 })).toEqual({ on: [], off: [] })
  })

  it('tells the silence of a device from the age of a variable', () => {
    const made = plan([
      { ...entry, identifier: 'silent', olderThanDuration: 60 },
      { ...entry, identifier: 'old', olderThanDuration: 1, olderThanVariable: 'battery' },
    ])
    expect(made?.silences).toEqual([{ identifier: 'silent', durationMs: 3_600_000 }])
    expect(made?.agings).toEqual([{ identifier: 'old', durationMs: 60_000, variable: 'battery' }])
  })

  it('makes an expression a script of its own', () => {
    const made = plan([{ ...entry, identifier: 'both', expression: 'battery < 3 // volts' }], {
      expertMode: true,
      stateKeys: ['battery'],
    })
    expect(made?.expressions).toEqual([
      {
        identifier: 'both',
        script: {
          id: 'health:d1.1:both',
          kind: 'condition',
          source: 'return (battery < 3 // volts\n)',
          parameters: ['battery'],
        },
      },
    ])
  })

  it('is none without entries', () => {
    expect(plan([])).toBeNull()
  })
})

describe('a configuration', () => {
  const faults = (config: object) =>
    HealthConfig.safeParse(config).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

  it('has no identifier twice', () => {
    const one = { ...entry, identifier: 'low', olderThanDuration: 5 }
    expect(faults({ entries: [one, one] })).toEqual(['entries.1.identifier: healthIdentifierTwice'])
  })

  it('has no state key twice', () => {
    expect(faults({ expertMode: true, stateKeys: ['a', 'b', 'a'] })).toEqual([
      'stateKeys.2: healthStateKeyTwice',
    ])
  })

  it('has entries that look at exactly one thing', () => {
    const condition = { variable: 'battery', operator: 'lt', value: 20 }
    const faultsOf = (more: object, expertMode = false) =>
      faults({ expertMode, entries: [{ ...entry, identifier: 'a', ...more }] })
    expect(faultsOf({})).toEqual(['entries.0.condition: healthLooksAtOne'])
    expect(faultsOf({ condition, olderThanDuration: 5 })).toEqual(['entries.0.condition: healthLooksAtOne'])
    expect(faultsOf({ condition }, true)).toEqual(['entries.0.condition: healthConditionExpert'])
    expect(faultsOf({ expression: 'a' })).toEqual(['entries.0.expression: healthExpressionSimple'])
    expect(faultsOf({ condition, olderThanVariable: 'battery' })).toEqual([
      'entries.0.olderThanVariable: healthVariableAlone',
    ])
  })
})
