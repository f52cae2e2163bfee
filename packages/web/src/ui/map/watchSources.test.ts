import type { MapLibreMap } from 'maplibre-gl'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ours } from './style.ts'
import { watchSources } from './watchSources.ts'

/** A map of MapLibre, as far as it reports what it loads. */
function openMap() {
  const handlers = new Map<string, (event: object) => void>()
  let isStyled = true
  const map = {
    on: (name: string, handler: (event: object) => void) => handlers.set(name, handler),
    getLayer: (id: string) => (isStyled && id === ours.dots ? {} : undefined),
  }
  const onLost = vi.fn()
  const onPatchy = vi.fn()
  watchSources(map as unknown as MapLibreMap, { onLost, onPatchy })
  return {
    onLost,
    onPatchy,
    report: (name: string, event: object = {}) => handlers.get(name)?.(event),
    unstyle: () => {
      isStyled = false
    },
  }
}

const error = new Error('404')
let map = openMap()
beforeEach(() => {
  map = openMap()
})

describe('a map style', () => {
  test('whose only source does not load is given up', () => {
    map.report('error', { sourceId: 'streets', error })
    expect(map.onLost).not.toHaveBeenCalled()
    map.report('idle')
    expect(map.onLost).toHaveBeenCalledExactlyOnceWith(error)
  })

  test('of which a part loads stays, and is called incomplete', () => {
    map.report('error', { sourceId: 'streets', error })
    map.report('sourcedata', { sourceId: 'land', tile: {} })
    map.report('idle')
    expect(map.onLost).not.toHaveBeenCalled()
    expect(map.onPatchy).toHaveBeenLastCalledWith(true)
  })

  test.each([ours.points, ours.track])('is not saved by our own %s', (sourceId) => {
    map.report('error', { sourceId: 'streets', error })
    map.report('sourcedata', { sourceId, tile: {} })
    map.report('idle')
    expect(map.onLost).toHaveBeenCalledOnce()
  })

  test('that announces a source without tiles has not loaded it', () => {
    map.report('error', { sourceId: 'streets', error })
    map.report('sourcedata', { sourceId: 'land' })
    map.report('idle')
    expect(map.onLost).toHaveBeenCalledOnce()
  })

  test('that cannot be used at all is given up at once', () => {
    map.unstyle()
    map.report('error', { error })
    expect(map.onLost).toHaveBeenCalledExactlyOnceWith(error)
  })

  test('without one of its pictures still works', () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    map.report('error', { error })
    map.report('idle')
    expect(map.onLost).not.toHaveBeenCalled()
    expect(map.onPatchy).not.toHaveBeenCalledWith(true)
    expect(warned).toHaveBeenCalledOnce()
    warned.mockRestore()
  })

  test('that loads completely is neither', () => {
    map.report('style.load')
    map.report('sourcedata', { sourceId: 'land', tile: {} })
    map.report('idle')
    expect(map.onLost).not.toHaveBeenCalled()
    expect(map.onPatchy.mock.calls).toEqual([[false]])
  })

  test('chosen after a failed one starts without its failure', () => {
    map.report('error', { sourceId: 'streets', error })
    map.report('style.load')
    map.report('idle')
    expect(map.onLost).not.toHaveBeenCalled()
  })

  test('reports the first failure, not the last', () => {
    map.report('error', { sourceId: 'streets', error })
    map.report('error', { sourceId: 'land', error: new Error('later') })
    map.report('idle')
    expect(map.onLost).toHaveBeenCalledWith(error)
  })
})
