import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paddingOf, partOf, zoomOf, zoomsOf } from './view.ts'

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

test('the server gets whole zooms of its range', () => {
  const bounds = { west: 7, south: 51, east: 8, north: 52 }
  expect([-1, 4.4, 4.6, 30].map((zoom) => partOf({ bounds, zoom }).zoom)).toEqual([0, 4, 5, 22])
  expect(partOf({ bounds, zoom: 3 })).toMatchObject(bounds)
})

test.each([
  ['flat', { clientWidth: 850, clientHeight: 640 }, 0, [60, 60]],
  ['tilted', { clientWidth: 850, clientHeight: 640 }, 50, [160, 160]],
  ['tilted, on a phone', { clientWidth: 344, clientHeight: 540 }, 50, [135, 86]],
])('the padding of a map that is %s leaves room', (_name, size, pitch, [y, x]) => {
  expect(paddingOf(size, pitch)).toEqual({ top: y, bottom: y, left: x, right: x })
})

describe('how near a map comes', () => {
  test.each([
    ['of twins', { pitch: 50 }, true, { maxZoom: 20, zoom: undefined }],
    ['of others', undefined, true, { maxZoom: 19, zoom: undefined }],
    ['of a whole country', { maxZoom: 4 }, true, { maxZoom: 4, zoom: undefined }],
    ['of the world', { maxZoom: 0 }, true, { maxZoom: 0, zoom: undefined }],
    ['with a zoom', { zoom: 12 }, true, { maxZoom: 20, zoom: 12 }],
    ['with a zoom that is too near', { zoom: 12, maxZoom: 6 }, true, { maxZoom: 6, zoom: 6 }],
    ['with a zoom that is far enough', { zoom: 3, maxZoom: 6 }, true, { maxZoom: 6, zoom: 3 }],
    ['to what is opened on it', { zoom: 3, maxZoom: 6 }, false, { maxZoom: 20, zoom: undefined }],
  ])('%s', (_name, camera, isFirst, expected) => {
    expect(zoomsOf(camera, isFirst)).toEqual(expected)
  })
})
