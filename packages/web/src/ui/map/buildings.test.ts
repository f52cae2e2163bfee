import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { describe, expect, it } from 'vitest'
import { hasBuildings, withBuildings } from './buildings.ts'
import { toAreas, toFeatures, toLines } from './points.ts'
import { mapStyle, ours } from './style.ts'

const flat: LayerSpecification = {
  id: 'houses',
  type: 'fill',
  source: 'tiles',
  'source-layer': 'building',
  paint: { 'fill-color': '#c00' },
}
const solid: LayerSpecification = {
  id: 'houses-3d',
  type: 'fill-extrusion',
  source: 'tiles',
  'source-layer': 'building',
  paint: { 'fill-extrusion-height': ['get', 'render_height'] },
}
const names: LayerSpecification = {
  id: 'streets',
  type: 'symbol',
  source: 'tiles',
  'source-layer': 'transportation_name',
  layout: { 'text-field': ['get', 'name'], 'text-font': ['Noto Sans Regular'] },
}
const city = (...layers: LayerSpecification[]): StyleSpecification => ({
  version: 8,
  glyphs: 'https://maps.example.org/fonts/{fontstack}/{range}.pbf',
  sources: { tiles: { type: 'vector', url: 'https://maps.example.org/data/v3.json' } },
  layers: [{ id: 'ground', type: 'background' }, ...layers],
})
const ids = (style: StyleSpecification) => style.layers.map(({ id }) => id)
const shown = (style: StyleSpecification, raised: boolean) =>
  withBuildings({ style, mode: 'light' }, raised).style

const nothing = {
  points: toFeatures([], null),
  track: toLines(),
  areas: toAreas(),
  clustered: true,
  outlined: false,
}

describe('buildings', () => {
  it('are known by their layer of the schema of OpenMapTiles', () => {
    expect(hasBuildings(city(flat))).toBe(true)
    expect(hasBuildings(city(solid))).toBe(true)
    expect(hasBuildings(city(names))).toBe(false)
  })

  it('are raised below the names on the map and below what is ours', () => {
    const style = mapStyle(withBuildings({ style: city(flat, names), mode: 'dark' }, true), nothing)
    expect(ids(style).slice(0, 5)).toEqual(['ground', 'houses', ours.buildings, 'streets', ours.areas])
  })

  it('stand last where the map has no names', () => {
    expect(ids(shown(city(names, flat), true))).toEqual(['ground', 'streets', 'houses', ours.buildings])
  })

  it('are left to a style that raises them itself, and flat in it when they are to be', () => {
    expect(ids(shown(city(flat, solid), true))).toEqual(['ground', 'houses', 'houses-3d'])
    expect(ids(shown(city(flat, solid), false))).toEqual(['ground', 'houses'])
  })

  it('stay as they are where nothing is to change, so that nothing is loaded anew', () => {
    const base = { style: city(flat), mode: 'light' } as const
    expect(withBuildings(base, false)).toBe(base)
    expect(withBuildings(base, true).style.sources).toBe(base.style.sources)
  })
})

it('numbers on clusters have a font of their own where the style has a server for fonts', () => {
  const own = mapStyle({ style: city(names), mode: 'light' }, nothing)
  expect(Object.keys(own['font-faces'] ?? {})).toEqual(['Inter Variable'])
  const { glyphs: _, ...local } = city(names)
  expect(mapStyle({ style: local, mode: 'light' }, nothing)['font-faces']).toBeUndefined()
})
