import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { MapMode } from './builtIn.ts'

export interface LocalColors {
  green: string
  water: string
  square: string
  building: string
  edge: string
  street: string
  casing: string
  name: string
  halo: string
}

const light: LocalColors = {
  green: '#cfe3c4',
  water: '#aed2e6',
  square: '#e9e2d3',
  building: '#dcd5c9',
  edge: '#bdb4a5',
  street: '#ffffff',
  casing: '#bfc4c2',
  name: '#4d5860',
  halo: '#ffffff',
}
const dark: LocalColors = {
  green: '#1b3223',
  water: '#123347',
  square: '#262b2c',
  building: '#2f383f',
  edge: '#46525c',
  street: '#3a444c',
  casing: '#11161a',
  name: '#a3afb8',
  halo: '#12171b',
}

/** Of streets, buildings and names, also those of the installation's tiles. */
export const localColors: Record<MapMode, LocalColors> = { light, dark }

/** Details are drawn from these zooms on. */
const from = { areas: 9, streets: 10, buildings: 12, mainNames: 12, names: 13.5 }

/** The installation's local map (`contract/src/maps.ts`) as layers between the countries and what the console draws. */
export function localLayers(
  data: GeoJSON.FeatureCollection,
  mode: MapMode,
): { sources: StyleSpecification['sources']; layers: LayerSpecification[] } {
  const colors = localColors[mode]
  return {
    sources: { local: { type: 'geojson', data, maxzoom: 16, tolerance: 0.2 } },
    layers: [...areas(colors), ...streets(colors), ...buildings(colors), ...names(colors)],
  }
}

const source = 'local'

function areas(colors: LocalColors): LayerSpecification[] {
  return (['green', 'water', 'square'] as const).map((kind) => ({
    id: `local-${kind}`,
    type: 'fill',
    source,
    minzoom: from.areas,
    filter: ['==', ['get', 'kind'], kind],
    paint: { 'fill-color': colors[kind] },
  }))
}

/** Pixels of a street at zoom 12 and 17. */
const widths = { path: [0.6, 3], street: [1.6, 12], road: [2.6, 18] } as const

function streets(colors: LocalColors): LayerSpecification[] {
  const layer = (id: string, color: string, more: number): LayerSpecification => ({
    id,
    type: 'line',
    source,
    minzoom: from.streets,
    filter: ['match', ['get', 'kind'], ['path', 'street', 'road'], true, false],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': color,
      'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 12, width(0, more), 17, width(1, more)],
    },
  })
  return [layer('local-casing', colors.casing, 1.6), layer('local-streets', colors.street, 0)]
}

function width(at: 0 | 1, more: number) {
  const { path, street, road } = widths
  return [
    'match',
    ['get', 'kind'],
    'road',
    road[at] + more,
    'street',
    street[at] + more,
    path[at] + more,
  ] as unknown as number
}

function buildings(colors: LocalColors): LayerSpecification[] {
  return [
    {
      id: 'local-buildings',
      type: 'fill',
      source,
      minzoom: from.buildings,
      filter: ['==', ['get', 'kind'], 'building'],
      paint: { 'fill-color': colors.building, 'fill-outline-color': colors.edge },
    },
  ]
}

function names(colors: LocalColors): LayerSpecification[] {
  const paint = { 'text-color': colors.name, 'text-halo-color': colors.halo, 'text-halo-width': 1.4 }
  return [
    {
      id: 'local-street-names',
      type: 'symbol',
      source,
      minzoom: from.mainNames,
      // Main roads first.
      filter: [
        'all',
        ['has', 'name'],
        ['==', ['geometry-type'], 'LineString'],
        ['any', ['==', ['get', 'kind'], 'road'], ['>=', ['zoom'], from.names]],
      ],
      layout: {
        'symbol-placement': 'line',
        'symbol-spacing': 320,
        'text-field': ['get', 'name'],
        'text-font': ['Inter Variable'],
        'text-size': 11.5,
      },
      paint,
    },
    {
      id: 'local-names',
      type: 'symbol',
      source,
      minzoom: from.mainNames,
      filter: ['all', ['has', 'name'], ['==', ['geometry-type'], 'Polygon']],
      layout: { 'text-field': ['get', 'name'], 'text-font': ['Inter Variable'], 'text-size': 12 },
      paint,
    },
  ]
}
