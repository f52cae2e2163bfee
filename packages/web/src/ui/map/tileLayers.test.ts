import { builtInMapLayouts } from '@leitstand/contract/maps'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { builtInStyle } from './builtIn.ts'
import { localColors } from './localLayers.ts'
import { tileLayers } from './tileLayers.ts'

vi.stubGlobal('location', { origin: 'https://iot.example.org' })
afterAll(() => void vi.unstubAllGlobals())

const tiles = {
  version: 'abc-1',
  minZoom: 0,
  maxZoom: 15,
  bounds: { west: 11, south: 50.9, east: 11.1, north: 51 },
}
const nobody: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] }
const made = (mode: 'light' | 'dark', language = 'de') =>
  tileLayers(tiles, {
    source: 'tiles',
    mode,
    ground: { water: '#0000ff', land: '#00ff00' },
    streets: localColors[mode],
    language,
  })

describe('the tiles of the installation', () => {
  test.each(builtInMapLayouts)(
    'are drawn above the countries of the look "%s", below its names',
    (layout) => {
      const around = { world: nobody, local: nobody, tiles: { of: tiles, draw: tileLayers } }
      const { layers, sources } = builtInStyle(layout, 'light', around, 'de')
      const ids = layers.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(Object.keys(sources)).toContain('tiles')
      expect(ids.indexOf('tiles-earth')).toBeGreaterThan(ids.indexOf('borders'))
      expect(ids.indexOf('local-green')).toBeGreaterThan(ids.indexOf('tiles-places_locality'))
      if (layout === 'atlas') expect(ids.at(-1)).toBe('names')
      const without = builtInStyle(layout, 'light', { ...around, tiles: null }, 'de')
      expect(Object.keys(without.sources)).not.toContain('tiles')
    },
  )

  test('come from our server, where there are any', () => {
    expect(made('light').sources.tiles).toMatchObject({
      tiles: ['https://iot.example.org/map/tiles/{z}/{x}/{y}?v=abc-1'],
      minzoom: 0,
      maxzoom: 15,
      bounds: [11, 50.9, 11.1, 51],
    })
  })

  test('read the layers that version 4 of the schema of Protomaps has', () => {
    const read = made('light').layers.flatMap((layer) =>
      'source-layer' in layer ? (layer['source-layer'] ?? []) : [],
    )
    expect([...new Set(read)].sort()).toEqual([
      'boundaries',
      'buildings',
      'earth',
      'landuse',
      'places',
      'pois',
      'roads',
      'water',
    ])
  })

  test('need no pictures, no other fonts and nothing from elsewhere', () => {
    const text = JSON.stringify(made('dark').layers)
    expect(text).not.toMatch(/icon-image|Noto|http/)
    for (const layer of made('dark').layers)
      if (layer.type === 'symbol') expect(layer.layout?.['text-font']).toEqual(['Inter Variable'])
  })

  test('are in the colours of the countries around them, and name places in the language of the reader', () => {
    const layerOf = (id: string, language?: string) =>
      JSON.stringify(made('light', language).layers.find((layer) => layer.id === `tiles-${id}`))
    expect(layerOf('earth')).toContain('#00ff00')
    expect(layerOf('water')).toContain('#0000ff')
    expect(layerOf('buildings')).toContain(localColors.light.building)
    expect(layerOf('places_locality', 'en')).toContain('["coalesce",["get","name:en"],["get","name"]]')
    expect(layerOf('address_label')).not.toContain('name:de')
    expect(layerOf('roads_labels_minor')).toContain('"minzoom":15')
  })

  test('begin where the built-in countries become coarse, in a style of each mode', () => {
    for (const { minzoom } of made('light').layers) expect(minzoom).toBeGreaterThanOrEqual(7)
    expect(made('light').layers).not.toEqual(made('dark').layers)
    expect(made('light').layers.map(({ id }) => id)).not.toContain('tiles-background')
  })
})
