import type { TFunction } from 'i18next'
import { describe, expect, test } from 'vitest'
import { toPoint } from './clusters.ts'

const t = ((key: string, values?: object) => `${key} ${JSON.stringify(values ?? {})}`) as unknown as TFunction

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
      { ...place, count: 300, health: 0, title: 'Tonne', device: null } as Parameters<typeof toPoint>[0],
      t,
    )
    expect(point).toMatchObject({ id: 'c1', count: 300 })
    expect(point).not.toHaveProperty('href')
    expect(point.title).toContain('Tonne')
    expect(point.title).toContain('299')
  })

  test('has a tone for every health, also one of a newer server', () => {
    const tone = (health: number) =>
      toPoint({ ...place, count: 2, health, device: null } as Parameters<typeof toPoint>[0], t).tone
    expect(new Set([0, 1, 2, 3, 4].map(tone)).size).toBe(5)
    expect(tone(99)).toBe('unknown')
  })
})
