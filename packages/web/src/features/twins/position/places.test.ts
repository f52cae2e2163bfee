import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import { keyOf, nameOf, pointsOf } from './places.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: {} }))

const place = (time: string) => ({ time, until: time, latitude: 53.5, longitude: 10 })
const places = [place('2026-11-20T12:00:00Z'), place('2026-11-20T13:00:00Z')]
const car = { id: 3, title: 'Wagen 3', latitude: 53.6, longitude: 10.1 }
const here = { latitude: 53.6, longitude: 10.1 }

describe('points of a track', () => {
  test('are where it is now and the chosen place', () => {
    const points = pointsOf(car, here, places, '2026-11-20T13:00:00Z', 'jetzt')
    expect(points.map(({ id, title, tone }) => ({ id, title, tone }))).toEqual([
      { id: 'here', title: 'Wagen 3', tone: 'ok' },
      { id: '2026-11-20T13:00:00Z', title: nameOf(place('2026-11-20T13:00:00Z')), tone: 'warning' },
    ])
    expect(points[0]).toMatchObject({ ...here, detail: 'jetzt' })
  })

  test.each([
    ['nothing is chosen', here, null, ['here']],
    ['the chosen place is no longer in the range', here, '2020-01-01T00:00:00Z', ['here']],
    ['it has no position now', null, '2026-11-20T12:00:00Z', ['2026-11-20T12:00:00Z']],
    ['it has neither', null, null, []],
  ])('where %s', (_name, current, chosen, ids) => {
    expect(pointsOf(car, current, places, chosen, '').map(({ id }) => id)).toEqual(ids)
  })
})

test('a place is told apart by its time and called by it', () => {
  expect(places.map(keyOf)).toEqual(['2026-11-20T12:00:00Z', '2026-11-20T13:00:00Z'])
  expect(nameOf(place('2026-11-20T12:00:00Z'))).toMatch(/^20\.11\.2026/)
})
