import fc from 'fast-check'
import { LngLatBounds } from 'maplibre-gl'
import { describe, expect, test } from 'vitest'
import { boundsFrom, boundsOf, toFeatures, toLines, viewOf } from './points.ts'
import { toneRanks } from './style.ts'

const point = (id: string, latitude: number, longitude: number) => ({ id, title: id, latitude, longitude })

describe('points on the map', () => {
  test('carry what the style draws: rank, count, whether selected, value, icon', () => {
    const { features } = toFeatures(
      [
        { ...point('1', 51.5, 7.4), tone: 'error', count: 12 },
        { ...point('2', -33, 151), tone: 'ok', value: '21 °C', icon: { name: 'room', shape: () => null } },
        point('3', 0, 0),
      ],
      '2',
    )
    expect(features.map(({ geometry }) => geometry)).toEqual([
      { type: 'Point', coordinates: [7.4, 51.5] },
      { type: 'Point', coordinates: [151, -33] },
      { type: 'Point', coordinates: [0, 0] },
    ])
    expect(features.map(({ properties }) => properties)).toEqual([
      { id: '1', rank: 5, worst: 5, sum: 12, selected: false, value: '', icon: '' },
      { id: '2', rank: 1, worst: 1, sum: 1, selected: true, value: '21 °C', icon: 'room' },
      { id: '3', rank: 0, worst: 0, sum: 1, selected: false, value: '', icon: '' },
    ])
  })

  test('an error outranks a warning, and both what is in order', () => {
    const rank = (tone: (typeof toneRanks)[number]) => toneRanks.indexOf(tone)
    expect(rank('error')).toBeGreaterThan(rank('invalid'))
    expect(rank('invalid')).toBeGreaterThan(rank('warning'))
    expect(rank('warning')).toBeGreaterThan(rank('unknown'))
    expect(rank('unknown')).toBeGreaterThan(rank('ok'))
  })

  test('nothing is selected where there is no selection', () => {
    for (const selected of [null, undefined, '']) {
      expect(toFeatures([point('1', 0, 0)], selected).features[0]?.properties?.selected).toBe(false)
    }
  })

  test('each track is a line in the order of its positions', () => {
    expect(toLines([[point('a', 1, 2), point('b', 3, 4)], [point('c', 5, 6)]]).geometry).toEqual({
      type: 'MultiLineString',
      coordinates: [
        [
          [2, 1],
          [4, 3],
        ],
        [[6, 5]],
      ],
    })
    expect(toLines().geometry).toEqual({ type: 'MultiLineString', coordinates: [] })
  })
})

describe('bounds', () => {
  test('hold every point', () => {
    const place = fc.record({
      latitude: fc.double({ min: -85, max: 85, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), (places) => {
        const bounds = boundsOf(places.map((each, index) => ({ ...each, id: String(index), title: '' })))
        for (const { latitude, longitude } of places) {
          expect(bounds?.contains([longitude, latitude])).toBe(true)
        }
      }),
    )
    expect(boundsOf([])).toBeUndefined()
  })

  test.each([
    ['a city', [7, 51, 8, 52], { west: 7, south: 51, east: 8, north: 52 }],
    [
      'across the date line to the east',
      [170, -10, 190, 10],
      { west: -180, south: -10, east: 180, north: 10 },
    ],
    [
      'across the date line to the west',
      [-190, -10, -170, 10],
      { west: -180, south: -10, east: 180, north: 10 },
    ],
    ['several worlds side by side', [-400, -60, 400, 60], { west: -180, south: -60, east: 180, north: 60 }],
  ] as const)('the view of %s has degrees that exist', (_name, [west, south, east, north], view) => {
    expect(viewOf(new LngLatBounds([west, south], [east, north]))).toEqual(view)
  })

  test('come back as they were', () => {
    const view = { west: 7.1, south: 51.2, east: 7.9, north: 51.8 }
    expect(viewOf(boundsFrom(view))).toEqual(view)
  })
})
