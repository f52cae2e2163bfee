import type { JsonValue } from '@leitstand/contract/common'
import type { StateOperation } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowValuesMax } from '../metrics/store.ts'
import { History } from './history.ts'
import { lookAt, placesAt, Window } from './windows.ts'

const minuteMs = 60_000
const operations: StateOperation[] = [
  'latest',
  'avg',
  'min',
  'max',
  'sum',
  'median',
  'count',
  'first',
  'difference',
]

const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -9, max: 9 }) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>('text', { a: 1 }) },
)
/** Values with their distance from the one before, in minutes. */
const entries = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), value), { maxLength: 40 })
const metric = fc.record(
  {
    operation: fc.constantFrom(...operations),
    lastMinutes: fc.integer({ min: 1, max: 30 }),
    lastValues: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: ['operation'] },
)

/** What the metric is, from the definition of its operation. */
function slowly(
  {
    operation,
    lastMinutes,
    lastValues,
  }: { operation: StateOperation; lastMinutes?: number; lastValues?: number },
  all: readonly (readonly [number, JsonValue])[],
  atMs: number,
): JsonValue {
  const recent = all
    .filter(([ms]) => ms <= atMs && (lastMinutes === undefined || ms > atMs - lastMinutes * minuteMs))
    .map(([, each]) => each)
  const window = lastValues === undefined ? recent : recent.slice(-lastValues)
  if (operation === 'latest') return window.at(-1) ?? null
  if (operation === 'first') return window[0] ?? null
  if (operation === 'count') return window.length
  const numbers = window.flatMap((each) =>
    typeof each === 'object' || typeof each === 'string' ? [] : [Number(each)],
  )
  if (numbers.length === 0) return null
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = numbers.length >> 1
  const sum = numbers.reduce((a, b) => a + b, 0)
  const answers: Partial<Record<StateOperation, number | undefined>> = {
    min: sorted[0],
    max: sorted.at(-1),
    median:
      numbers.length % 2 === 1 ? sorted[half] : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2,
    sum,
    avg: sum / numbers.length,
    difference: (numbers.at(-1) as number) - (numbers[0] as number),
  }
  return answers[operation] ?? null
}

describe('the window of a metric', () => {
  it('has the value that its definition says, however it is moved', () => {
    fc.assert(
      fc.property(metric, entries, fc.array(fc.integer({ min: 0, max: 12 })), (wanted, steps, moves) => {
        const history = new History()
        const window = new Window(wanted, history)
        let timeMs = 0
        const all = steps.map(([minutes, each]) => {
          timeMs += minutes * minuteMs
          return [timeMs, each] as const
        })
        for (const [ms, each] of all) history.add(ms, each)
        let atMs = 0
        for (const minutes of moves) {
          atMs += minutes * minuteMs
          window.moveTo(atMs)
          const expected = slowly(wanted, all, atMs)
          const near =
            typeof expected === 'number' && (wanted.operation === 'avg' || wanted.operation === 'sum')
          // Adding in another order rounds differently.
          const isClose = (actual: JsonValue) => {
            const largest = Math.max(1, ...all.map(([, each]) => Math.abs(Number(each)) || 0))
            expect(Math.abs((actual as number) - (expected as number)) / largest).toBeLessThan(1e-12)
          }
          for (const { value: actual } of [window.answer(), lookAt(wanted, history, atMs)]) {
            if (near) isClose(actual)
            else expect(actual).toEqual(typeof expected === 'number' ? expected + 0 : expected)
          }
          expect(window.answer()).toEqual(lookAt(wanted, history, atMs))
          history.forget(Math.max(history.first, placesAt(wanted, history, atMs).low))
        }
      }),
    )
  })

  it('of too many values is none, unless it is long enough for roll-ups', () => {
    const history = new History()
    for (let n = 0; n <= windowValuesMax; n++) history.add(n, n)
    const at = (operation: StateOperation, lastMinutes: number) => {
      const window = new Window({ operation, lastMinutes }, history)
      window.moveTo(windowValuesMax)
      expect(lookAt({ operation, lastMinutes }, history, windowValuesMax)).toEqual(window.answer())
      return window.answer()
    }
    expect(at('avg', 60)).toEqual({ value: null, tooMany: true })
    expect(at('avg', 61)).toEqual({ value: windowValuesMax / 2, tooMany: false })
    expect(at('median', 61)).toEqual({ value: null, tooMany: true })
    expect(at('first', 60)).toEqual({ value: 0, tooMany: false })
    expect(at('avg', 0.5)).toEqual({ value: windowValuesMax - 14_999.5, tooMany: false })
  })
})

describe('a history', () => {
  it('keeps the places of its values when older ones are forgotten, and counts what it holds', () => {
    const history = new History()
    for (let n = 0; n < 5_000; n++) history.add(n * 10, n % 2 === 0 ? n : 'x'.repeat(32))
    expect(history.weight).toBe(2_500 + 2_500 * 3)
    history.forget(4_000)
    expect([history.first, history.end]).toEqual([4_000, 5_000])
    expect(history.weight).toBe(500 + 500 * 3)
    expect(history.timeAt(4_000)).toBe(40_000)
    expect(history.valueAt(4_998)).toBe(4_998)
    expect([history.after(40_009), history.after(40_010), history.after(0), history.after(1e9)]).toEqual([
      4_001, 4_002, 4_000, 5_000,
    ])
    history.add(60_000, true)
    expect(history.valueAt(5_000)).toBe(true)
  })
})
