import { describe, expect, it } from 'vitest'
import type { StoredValue } from './apply.ts'
import { movesOf } from './moves.ts'

type Given = Pick<StoredValue, 'axis' | 'value'> & { twinId?: number; isCurrent?: boolean; time?: Date }

const lat = 'latitude'
const lon = 'longitude'

const stored = (values: readonly Given[]): StoredValue[] =>
  values.map((value, index) => ({
    stateId: index,
    time: new Date(0),
    source: { kind: 'manual' },
    twinId: 7,
    accountId: 1,
    key: 'key',
    hasLevel: false,
    isCurrent: true,
    wasNewest: false,
    ...value,
  }))

const positions = (...values: Given[]) =>
  movesOf(stored(values)).map(({ twinId, latitude, longitude }) => [twinId, latitude, longitude])

describe('the position of a tracker', () => {
  it('does not follow late values', () => {
    expect(
      positions({ axis: lat, value: 1, isCurrent: false }, { axis: lon, value: 2, isCurrent: false }),
    ).toEqual([])
    expect(positions({ axis: lat, value: 1 }, { axis: lon, value: 2, isCurrent: false })).toEqual([
      [7, 1, null],
    ])
  })
  it('does not follow other states', () => {
    expect(positions({ axis: null, value: 1 })).toEqual([])
  })
  it.each(['54.5', true, null, { degrees: 54.5 }])('is not moved by the value %j', (value) => {
    expect(positions({ axis: lat, value })).toEqual([])
  })
  it.each([
    [lat, 90, true],
    [lat, -90, true],
    [lat, 90.001, false],
    [lat, -90.001, false],
    [lon, 180, true],
    [lon, -180, true],
    [lon, 180.001, false],
    [lon, -180.001, false],
  ] as const)('%s may be %d: %s', (axis, value, moves) => {
    expect(positions({ axis, value })).toHaveLength(moves ? 1 : 0)
  })
  it('takes both coordinates together, each from its last value, separately for each twin', () => {
    expect(
      positions(
        { axis: lat, value: 1 },
        { axis: lat, value: 5, twinId: 8 },
        { axis: lon, value: 2 },
        { axis: lat, value: 3 },
      ),
    ).toEqual([
      [7, 3, 2],
      [8, 5, null],
    ])
  })
  it('is of the time of its newest value', () => {
    const times = (...values: [axis: 'latitude' | 'longitude', ms: number][]) =>
      movesOf(stored(values.map(([axis, ms]) => ({ axis, value: 1, time: new Date(ms) })))).map(
        ({ time }) => time,
      )
    expect(times([lat, 5], [lon, 7])).toEqual([new Date(7)])
    expect(times([lat, 7], [lon, 5])).toEqual([new Date(7)])
  })
})
