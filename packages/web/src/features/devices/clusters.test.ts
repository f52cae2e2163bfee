import fc from 'fast-check'
import type { TFunction } from 'i18next'
import { describe, expect, test } from 'vitest'
import { toPoint, zoomOf } from './clusters.ts'

const t = ((key: string, values?: object) => `${key} ${JSON.stringify(values ?? {})}`) as unknown as TFunction

describe('the zoom of a view', () => {
  test.each([
    ['the world', { west: -180, south: -90, east: 180, north: 90 }, 0],
    ['half of it', { west: 0, south: -45, east: 180, north: 45 }, 1],
    ['a point', { west: 7, south: 51, east: 7, north: 51 }, 15],
    ['more than the world', { west: -400, south: -90, east: 400, north: 90 }, 0],
  ])('of %s', (_name, bounds, zoom) => {
    expect(zoomOf(bounds)).toBeCloseTo(zoom, 6)
  })

  test('grows as the view becomes smaller, within what the server takes', () => {
    const size = fc.double({ min: 0, max: 180, noNaN: true })
    fc.assert(
      fc.property(size, size, (one, other) => {
        const view = (degrees: number) => ({ west: 0, south: 0, east: degrees, north: degrees / 2 })
        const [small, large] = [Math.min(one, other), Math.max(one, other)]
        expect(zoomOf(view(small))).toBeGreaterThanOrEqual(zoomOf(view(large)))
        for (const zoom of [zoomOf(view(small)), zoomOf(view(large))]) {
          expect(zoom).toBeGreaterThanOrEqual(0)
          expect(zoom).toBeLessThanOrEqual(15)
        }
      }),
    )
  })
})

describe('a point of the map', () => {
  const place = { id: 'c1', latitude: 51, longitude: 7 }
  test('of one device leads to its page', () => {
    const device = { id: 12, title: 'Tonne', externalId: 'A1' }
    const point = toPoint({ ...place, count: 1, health: 2, device } as Parameters<typeof toPoint>[0], t)
    expect(point).toMatchObject({
      id: '12',
      title: 'Tonne',
      href: '/virtual-devices/12',
      latitude: 51,
      longitude: 7,
    })
    expect(point.detail).toContain('A1')
    expect(point).not.toHaveProperty('count')
  })

  test('of several has their number and no page', () => {
    const point = toPoint(
      { ...place, count: 300, health: 0, device: null } as Parameters<typeof toPoint>[0],
      t,
    )
    expect(point).toMatchObject({ id: 'c1', count: 300 })
    expect(point).not.toHaveProperty('href')
    expect(point.title).toContain('300')
  })

  test('has a tone for every health, also one of a newer server', () => {
    const tone = (health: number) =>
      toPoint({ ...place, count: 2, health, device: null } as Parameters<typeof toPoint>[0], t).tone
    expect(new Set([0, 1, 2, 3, 4].map(tone)).size).toBe(5)
    expect(tone(99)).toBe('unknown')
  })
})
