import type { MapLibreMap } from 'maplibre-gl'
import { describe, expect, test, vi } from 'vitest'
import { letDrag } from './drag.ts'
import { ours } from './style.ts'

type Handler = (event: object) => void

const point = (id: string): GeoJSON.Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [10, 53] },
  properties: { id },
})
const features: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [point('a'), point('b')] }

/** A map of MapLibre with two points, and a pointer over it. */
function openMap(isMovable = true) {
  const handlers = new Map<string, Handler>()
  const drawn: GeoJSON.FeatureCollection[] = []
  const onMove = vi.fn()
  const map = {
    on: (name: string, layer: string | Handler, handler?: Handler) =>
      handlers.set(handler ? `${name} ${layer as string}` : name, handler ?? (layer as Handler)),
    off: (name: string) => handlers.delete(name),
    getSource: () => ({ setData: (data: GeoJSON.FeatureCollection) => drawn.push(data) }),
  }
  letDrag(map as unknown as MapLibreMap, () => ({
    features,
    props: { title: '', points: [], ...(isMovable ? { onMove } : {}) },
  }))
  const prevented = vi.fn()
  return {
    drawn,
    onMove,
    prevented,
    press: (name: 'mousedown' | 'touchstart', id: unknown = 'a', change: object = {}) =>
      handlers.get(`${name} ${ours.dots}`)?.({
        features: [{ properties: { id } }],
        preventDefault: prevented,
        ...change,
      }),
    move: (lng: number, lat: number, name = 'mousemove') => handlers.get(name)?.({ lngLat: { lng, lat } }),
    release: (name = 'mouseup') => handlers.get(name)?.({}),
    listening: () => [...handlers.keys()].filter((name) => !name.includes(' ')),
  }
}

describe('dragging a point', () => {
  test('moves it with the pointer, and reports where it was dropped', () => {
    const map = openMap()
    map.press('mousedown')
    map.move(11, 54)
    map.move(12, 55)
    map.release()
    expect(map.drawn.at(-1)?.features.map(({ geometry }) => geometry)).toEqual([
      { type: 'Point', coordinates: [12, 55] },
      { type: 'Point', coordinates: [10, 53] },
    ])
    expect(map.onMove).toHaveBeenCalledExactlyOnceWith('a', { latitude: 55, longitude: 12 })
    expect(map.prevented).toHaveBeenCalledOnce()
  })

  test('works with one finger', () => {
    const map = openMap()
    map.press('touchstart', 'b', { points: [{}] })
    map.move(1, 2, 'touchmove')
    map.release('touchend')
    expect(map.onMove).toHaveBeenCalledExactlyOnceWith('b', { latitude: 2, longitude: 1 })
  })

  test('with two fingers zooms instead', () => {
    const map = openMap()
    map.press('touchstart', 'b', { points: [{}, {}] })
    map.move(1, 2, 'touchmove')
    expect(map.drawn).toEqual([])
    expect(map.prevented).not.toHaveBeenCalled()
  })

  test('a click without a movement changes nothing', () => {
    const map = openMap()
    map.press('mousedown')
    map.release()
    expect(map.onMove).not.toHaveBeenCalled()
  })

  test.each([undefined, 7, null])('something with the id %j cannot be dragged', (id) => {
    const map = openMap()
    map.press('mousedown', id === undefined ? null : id)
    map.move(1, 2)
    expect(map.drawn).toEqual([])
  })

  test('nothing can be dragged where nothing may be moved', () => {
    const map = openMap(false)
    map.press('mousedown')
    map.move(1, 2)
    expect(map.drawn).toEqual([])
    expect(map.prevented).not.toHaveBeenCalled()
  })

  test('the map is as before once the point is dropped', () => {
    const map = openMap()
    map.press('mousedown')
    map.move(1, 2)
    map.release()
    expect(map.listening()).toEqual([])
  })
})
