import { describe, expect, it } from 'vitest'
import { combine, inOrderOfSources } from './aggregate.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

describe('combining current values of several states', () => {
  const inputs = [
    { value: 20, time: at(1) },
    { value: 30, time: at(5) },
    { value: 10, time: at(3) },
  ]
  it.each([
    ['avg', 20],
    ['min', 10],
    ['max', 30],
    ['sum', 60],
    ['median', 20],
    ['count', 3],
    ['latest', 30],
  ] as const)('%s of 20, 30 and 10 is %d', (method, expected) => {
    expect(combine(method, inputs)).toBe(expected)
  })

  it('takes the mean of the middle two as median of an even number', () => {
    expect(combine('median', [...inputs, { value: 40, time: at(0) }])).toBe(25)
  })
  it('looks at numbers only, with true as 1', () => {
    const mixed = [...inputs, { value: 'open', time: at(2) }, { value: true, time: at(2) }]
    expect(combine('sum', mixed)).toBe(61)
    expect(combine('count', mixed)).toBe(5)
  })
  it('answers the newest value of any type', () => {
    expect(combine('latest', [...inputs, { value: 'open', time: at(9) }])).toBe('open')
  })
  it('has nothing to say about nothing', () => {
    expect(combine('avg', [])).toBeNull()
    expect(combine('latest', [])).toBeNull()
    expect(combine('sum', [{ value: 'text', time: at(1) }])).toBeNull()
    expect(combine('count', [])).toBe(0)
  })
})

describe('the current values of sources', () => {
  const current = new Map([
    [1, { value: 20, time: at(1) }],
    [2, { value: 30, time: at(2) }],
    [3, { value: 40, time: at(3) }],
  ])
  it('come in the order of the sources, without those that have none', () => {
    expect(inOrderOfSources([3, 9, 1], current)).toEqual([
      { stateId: 3, value: 40, time: at(3) },
      { stateId: 1, value: 20, time: at(1) },
    ])
  })
})

it('the later source counts as the latest of equally new values', () => {
  const same = [1, 2].map((value) => ({ value, time: at(1) }))
  expect(combine('latest', same)).toBe(2)
})
