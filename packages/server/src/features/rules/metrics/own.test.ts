import type { Metric } from '@leitstand/contract/rules'
import { describe, expect, it } from 'vitest'
import { checkMetric, isStateMetric, ownValue, statesOf } from './index.ts'

type Own = Parameters<typeof ownValue>[0]

const common = { alias: 'a', abortIfNull: true }
const berlin = { timeZone: 'Europe/Berlin', keyValues: { room: '12' }, latitude: 52.52, longitude: 13.405 }
const nowhere = { ...berlin, latitude: null, longitude: null }
// A Sunday, 00:30 on the next day in Berlin.
const at = new Date('2026-06-07T22:30:00Z')

const clock = (unit: 'minutes' | 'hour' | 'weekday'): Own => ({ ...common, operation: 'clock', clock: unit })
const property = (key: string): Own => ({ ...common, operation: 'property', property: key })
const position = (part: 'latitude' | 'longitude' | 'distance', point: object = {}): Own => ({
  ...common,
  operation: 'position',
  position: part,
  ...point,
})

describe('metrics without a state', () => {
  it.each<[Own, unknown]>([
    [clock('minutes'), 30],
    [clock('hour'), 0],
    [clock('weekday'), 1],
    [property('room'), '12'],
    [property('floor'), null],
    [property('toString'), null],
    [position('latitude'), 52.52],
    [position('longitude'), 13.405],
  ])('%j is %j', (metric, value) => {
    expect(ownValue(metric, berlin, at)).toBe(value)
  })

  it('measure the distance to a point', () => {
    const munich = { latitude: 48.137, longitude: 11.576 }
    expect(Number(ownValue(position('distance', munich), berlin, at)) / 1_000).toBeCloseTo(504.2, 0)
    const same = { latitude: 52.52, longitude: 13.405 }
    expect(ownValue(position('distance', same), berlin, at)).toBe(0)
    const opposite = { latitude: -52.52, longitude: -166.595 }
    expect(Number(ownValue(position('distance', opposite), berlin, at))).toBeCloseTo(Math.PI * 6_371_008.8, 3)
  })

  it('have no value without a position', () => {
    for (const part of ['latitude', 'longitude', 'distance'] as const)
      expect(ownValue(position(part), nowhere, at)).toBeNull()
  })

  it('are checked', () => {
    const paths = (metric: Metric) => checkMetric(metric).map(({ path }) => path.join('.'))
    expect(paths(clock('hour'))).toEqual([])
    expect(paths({ ...clock('hour'), lastMinutes: 5 })).toEqual(['operation'])
    expect(paths({ ...property('room'), lastValues: 5 })).toEqual(['operation'])
    expect(paths(position('distance'))).toEqual(['latitude', 'longitude'])
    expect(paths(position('distance', { latitude: 1, longitude: 2 }))).toEqual([])
    expect(paths(position('latitude'))).toEqual([])
  })

  it('read no state', () => {
    const latest: Metric = { ...common, operation: 'latest', stateId: 7 }
    expect(statesOf([clock('hour'), latest])).toEqual([7])
    expect(isStateMetric(latest)).toBe(true)
    expect(isStateMetric(clock('hour'))).toBe(false)
  })
})
