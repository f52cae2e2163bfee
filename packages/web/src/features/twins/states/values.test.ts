import type { LiveValue } from '@leitstand/contract/live'
import type { State } from '@leitstand/contract/states'
import { describe, expect, it } from 'vitest'
import { appendPoints, levelOf, sparkPath, withLiveValues } from './values.ts'

const at = (second: number) => Date.UTC(2026, 10, 20, 8, 0, second)

function state(id: number, value: State['value'], second: number | null): State {
  return {
    ...{ id, twinId: 1, key: `k${id}`, title: `K${id}`, unit: '', icon: null, source: 'none', value },
    ...{ sourceSettings: {}, valueType: 'number', transformer: null, lowerBound: null, upperBound: null },
    ...{ decimals: null, visualization: { kind: 'value' }, position: 0, version: 1 },
    time: second === null ? null : new Date(at(second)).toISOString(),
  }
}

const live = (stateId: number, value: number, second: number): LiveValue => ({
  ...{ stateId, twinId: 1, key: `k${stateId}`, value },
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
    const next = appendPoints(
      points,
      [live(1, 4, 4), live(1, 3, 3), live(2, 9, 9), live(1, 0, 0)],
      1,
      at(2),
      10,
    )
    expect(next).toEqual([
      [at(2), 2],
      [at(3), 3],
      [at(4), 4],
    ])
  })

  it('keeps to its bound and changes nothing without news', () => {
    expect(appendPoints(points, [live(1, 3, 3)], 1, 0, 2)).toEqual([
      [at(2), 2],
      [at(3), 3],
    ])
    expect(appendPoints(points, [], 1, at(2), 1)).toBe(points)
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
