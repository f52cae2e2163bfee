import type { LiveValue } from '@leitstand/contract/live'
import type { State } from '@leitstand/contract/states'
import { describe, expect, it } from 'vitest'
import { appendPoints, bridgeGaps, levelOf, sparkPath, withLiveValues } from './values.ts'

const at = (second: number) => Date.UTC(2026, 10, 20, 8, 0, second)

function state(id: number, value: State['value'], second: number | null): State {
  return {
    id,
    twinId: 1,
    key: `k${id}`,
    title: `K${id}`,
    unit: '',
    icon: null,
    source: 'none',
    value,
    sourceSettings: {},
    valueType: 'number',
    transformer: null,
    lowerBound: null,
    upperBound: null,
    decimals: null,
    visualization: { kind: 'value' },
    position: 0,
    fixed: false,
    version: 1,
    time: second === null ? null : new Date(at(second)).toISOString(),
  }
}

const live = (stateId: number, value: number, second: number): LiveValue => ({
  stateId,
  twinId: 1,
  key: `k${stateId}`,
  value,
  timeMs: at(second),
})

describe('levelOf', () => {
  const limits = {
    lowerBound: -40,
    upperBound: 125,
    visualization: { kind: 'gauge' as const, lowerThreshold: 25, upperThreshold: 30 },
  }
  it.each([
    [20, 'ok'],
    [25, 'warning'],
    [29.9, 'warning'],
    [30, 'error'],
    [126, 'invalid'],
    [-41, 'invalid'],
    ['20', null],
    [null, null],
  ])('%s is %s', (value, level) => expect(levelOf(value, limits)).toBe(level))

  it('means nothing without limits', () => {
    expect(levelOf(5, { lowerBound: null, upperBound: null, visualization: { kind: 'value' } })).toBeNull()
  })
})

describe('withLiveValues', () => {
  const states = [state(1, 20, 10), state(2, null, null)]

  it('takes the newest value of each state', () => {
    const next = withLiveValues(states, [live(1, 22, 12), live(1, 21, 11), live(2, 5, 1)])
    expect(next.map(({ value }) => value)).toEqual([22, 5])
    expect(next[0]?.time).toBe(new Date(at(12)).toISOString())
  })

  it('keeps what is newer, and the array when nothing changes', () => {
    expect(withLiveValues(states, [live(1, 3, 9), live(77, 1, 50)])).toBe(states)
    expect(withLiveValues(states, [live(1, 20, 10)])).toBe(states)
  })
})

describe('appendPoints', () => {
  const points = [
    [at(1), 1],
    [at(2), 2],
  ] as const

  it('appends newer points of its state in order and lets old ones go', () => {
    const values = [live(1, 4, 4), live(1, 3, 3), live(2, 9, 9), live(1, 0, 0)]
    expect(appendPoints(points, values, 1, { sinceMs: at(2), max: 10 })).toEqual([
      [at(2), 2],
      [at(3), 3],
      [at(4), 4],
    ])
  })

  it('keeps to its bound and changes nothing without news', () => {
    expect(appendPoints(points, [live(1, 3, 3)], 1, { sinceMs: 0, max: 2 })).toEqual([
      [at(2), 2],
      [at(3), 3],
    ])
    expect(appendPoints(points, [], 1, { sinceMs: at(2), max: 1 })).toBe(points)
  })

  it('moves the last point while values come closer than the gap', () => {
    const values = [live(1, 3, 3), live(1, 4, 4), live(1, 5, 5), live(1, 9, 9)]
    expect(appendPoints(points, values, 1, { sinceMs: 0, max: 10, gapMs: 3000 })).toEqual([
      [at(1), 1],
      [at(3), 3],
      [at(5), 5],
      [at(9), 9],
    ])
  })
})

describe('bridgeGaps', () => {
  const every = (step: number, values: (number | null)[]) =>
    values.map((value, index) => [index * step, value] as [number, number | null])

  it('draws through intervals that are shorter than the rhythm of the values', () => {
    const points = every(5, [1, null, null, 2, null, null, 3, null, null, 4])
    expect(bridgeGaps(points)).toEqual([
      [0, 1],
      [15, 2],
      [30, 3],
      [45, 4],
    ])
  })

  it('leaves real gaps open with one empty point', () => {
    const points = every(5, [1, 2, 3, null, null, null, null, 4, 5])
    expect(bridgeGaps(points)).toEqual([
      [0, 1],
      [5, 2],
      [10, 3],
      [15, null],
      [35, 4],
      [40, 5],
    ])
  })

  it('changes nothing where nothing is empty or little is known', () => {
    const full = every(5, [1, 2, 3])
    expect(bridgeGaps(full)).toBe(full)
    const few = every(5, [1, null, 3])
    expect(bridgeGaps(few)).toBe(few)
  })
})

describe('sparkPath', () => {
  it('fills the box, interrupts at gaps', () => {
    expect(
      sparkPath(
        [
          [0, 0],
          [1, 10],
          [2, null],
          [3, 5],
          [4, 10],
        ],
        40,
        20,
      ),
    ).toBe('M0 18L10 2M30 10L40 2')
  })
  it('draws a flat line in the middle and nothing for one point', () => {
    expect(
      sparkPath(
        [
          [0, 3],
          [1, 3],
        ],
        10,
        20,
      ),
    ).toBe('M0 10L10 10')
    expect(sparkPath([[0, 3]], 10, 20)).toBe('')
  })
})
