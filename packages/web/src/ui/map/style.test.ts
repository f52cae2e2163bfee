import { builtInMapLayouts } from '@leitstand/contract/maps'
import { describe, expect, it } from 'vitest'
import { builtInStyle } from './builtIn.ts'
import { layoutOf } from './layouts.ts'
import { toAreas, toFeatures, toLines } from './points.ts'
import { mapStyle, ours } from './style.ts'

const square = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
]
const world: GeoJSON.FeatureCollection = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: '276',
      properties: { name: 'X' },
      geometry: { type: 'Polygon', coordinates: [square] },
    },
  ],
}
const points = toFeatures([{ id: '7', title: 'A', latitude: 1, longitude: 2, tone: 'error' }], '7')
const track = toLines([
  [
    { latitude: 1, longitude: 2 },
    { latitude: 2, longitude: 2 },
  ],
])
const local: GeoJSON.FeatureCollection = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [square] },
      properties: { kind: 'building' },
    },
  ],
}
const areas = toAreas([{ polygon: { type: 'Polygon', coordinates: [square] }, tone: 'warning' }])

describe.each(builtInMapLayouts)('the look "%s"', (layout) => {
  it.each(['light', 'dark'] as const)('has ours on top in %s, and each layer its source', (mode) => {
    const style = mapStyle(
      { style: builtInStyle(layout, mode, { world, local, tiles: null }, 'de'), mode },
      { points, track, areas, clustered: true, outlined: false },
    )
    const sources = style.layers.flatMap((layer) => ('source' in layer ? [layer.source] : []))
    expect(sources.filter((id) => !(id in style.sources))).toEqual([])
    expect(new Set(style.layers.map(({ id }) => id)).size).toBe(style.layers.length)
    expect(style.layers.slice(-9).map(({ id }) => id)).toEqual([
      ...[ours.areas, ours.outlines],
      ...[ours.track, ours.corners, ours.clusters, ours.counts, ours.dots, ours.icons, ours.values],
    ])
  })
})

it('a look that is not there is the default', () => {
  const layouts = [
    { id: 'plain', title: 'Plain' },
    { id: 'atlas', title: 'Atlas' },
  ] as const
  expect(layoutOf(layouts, 'atlas').id).toBe('atlas')
  expect(layoutOf(layouts, 'gone').id).toBe('plain')
  expect(layoutOf(layouts, undefined).id).toBe('plain')
})
