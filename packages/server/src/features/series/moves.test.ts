import { describe, expect, it } from 'vitest'
import type { StoredValue } from './apply.ts'
import { movesOf } from './moves.ts'

type Given = Pick<StoredValue, 'key' | 'value'> & { twinId?: number; isCurrent?: boolean }

const stored = (values: readonly Given[]): StoredValue[] =>
  values.map((value, index) => ({
    stateId: index,
    time: new Date(0),
    source: { kind: 'manual' },
    twinId: 7,
    accountId: 1,
    isCurrent: true,
    wasNewest: false,
    ...value,
  }))

const positions = (...values: Given[]) =>
  movesOf(stored(values)).map(({ twinId, latitude, longitude }) => [twinId, latitude, longitude])

describe('the position of a tracker', () => {
  it('does not follow late values', () => {
    expect(
      positions({ key: 'lat', value: 1, isCurrent: false }, { key: 'lon', value: 2, isCurrent: false }),
    ).toEqual([])
    expect(positions({ key: 'lat', value: 1 }, { key: 'lon', value: 2, isCurrent: false })).toEqual([
      [7, 1, null],
    ])
  })
  it.each(['lat', 'latitude', 'LAT', 'Latitude_deg'])('is moved north or south by the state %s', (key) => {
    expect(positions({ key, value: 54.5 })).toEqual([[7, 54.5, null]])
  })
  it.each(['lon', 'longitude', 'LON', 'Long_2'])('is moved east or west by the state %s', (key) => {
    expect(positions({ key, value: 10.5 })).toEqual([[7, null, 10.5]])
  })
  it.each(['la', 'level', 'temperature', 'flat', 'gps_lat', ''])('is not moved by the state "%s"', (key) => {
    expect(positions({ key, value: 1 })).toEqual([])
  })
  it.each(['54.5', true, null, { degrees: 54.5 }])('is not moved by the value %j', (value) => {
    expect(positions({ key: 'lat', value })).toEqual([])
  })
  it.each([
    ['lat', 90, true],
    ['lat', -90, true],
    ['lat', 90.001, false],
    ['lat', -90.001, false],
    ['lon', 180, true],
    ['lon', -180, true],
    ['lon', 180.001, false],
    ['lon', -180.001, false],
  ])('%s may be %d: %s', (key, value, moves) => {
    expect(positions({ key, value })).toHaveLength(moves ? 1 : 0)
  })
  it('takes both coordinates together, each from its last value, separately for each twin', () => {
    expect(
      positions(
        { key: 'lat', value: 1 },
        { key: 'lat', value: 5, twinId: 8 },
        { key: 'lon', value: 2 },
        { key: 'lat', value: 3 },
      ),
    ).toEqual([
      [7, 3, 2],
      [8, 5, null],
    ])
  })
})
