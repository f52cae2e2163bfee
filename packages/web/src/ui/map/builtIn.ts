import type { BuiltInMapLayout, MapTiles } from '@leitstand/contract/maps'
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import { countryNames, graticule } from './countries.ts'
import { localColors, localLayers } from './localLayers.ts'
import type { tileLayers } from './tileLayers.ts'

export type MapMode = 'light' | 'dark'

/** Name of the source with the installation's tiles. */
export const tilesSource = 'tiles'

interface Ground {
  water: string
  land: string
  border: string
}

const plain: Record<MapMode, Ground> = {
  light: { water: '#e4edf1', land: '#fbfbfa', border: '#c9d2d8' },
  dark: { water: '#0b1013', land: '#181d21', border: '#333c44' },
}

/** For projectors, sunlight and print. */
const contrast: Record<MapMode, Ground> = {
  light: { water: '#a9c6d8', land: '#ffffff', border: '#2b343a' },
  dark: { water: '#000000', land: '#22292e', border: '#aab4bc' },
}

/** Whether a layout is light or dark in the console's mode. */
export const modeOf = (layout: BuiltInMapLayout, scheme: MapMode): MapMode =>
  layout === 'always-dark' ? 'dark' : scheme

const atlas: Record<MapMode, Ground & { grid: string; name: string }> = {
  light: { water: '#c8dfea', land: '#f6f3ea', border: '#82909b', grid: '#9cbccb', name: '#3a454d' },
  dark: { water: '#0a1a24', land: '#242b30', border: '#6b7983', grid: '#27485a', name: '#c3ccd3' },
}

/** What a built-in style draws. */
interface Surroundings {
  world: GeoJSON.FeatureCollection
  local: GeoJSON.FeatureCollection | null
  /** with the code that draws them */
  tiles: { of: MapTiles; draw: typeof tileLayers } | null
}

/** A built-in map style: countries of Natural Earth, with names in `language`, and the installation's local map and tiles. */
export function builtInStyle(
  layout: BuiltInMapLayout,
  mode: MapMode,
  { world, local, tiles }: Surroundings,
  language: string,
): StyleSpecification {
  const around = (layout === 'atlas' ? atlas : layout === 'high-contrast' ? contrast : plain)[mode]
  const parts = [
    ...(tiles
      ? [
          tiles.draw(tiles.of, {
            source: tilesSource,
            mode,
            ground: around,
            streets: localColors[mode],
            language,
          }),
        ]
      : []),
    ...(local ? [localLayers(local, mode)] : []),
  ]
  const near = {
    sources: Object.assign({}, ...parts.map(({ sources }) => sources)) as StyleSpecification['sources'],
    layers: parts.flatMap(({ layers }) => layers),
  }
  if (layout !== 'atlas')
    return {
      version: 8,
      sources: { ...ground(world), ...near.sources },
      layers: [...groundLayers(around), ...near.layers],
    }
  const colors = atlas[mode]
  return {
    version: 8,
    sources: {
      ...ground(world),
      ...near.sources,
      grid: { type: 'geojson', data: graticule(), tolerance: 0 },
      names: { type: 'geojson', data: countryNames(world, language) },
    },
    layers: [
      ...groundLayers(colors),
      ...[30, 10, 1].map((step): LayerSpecification => {
        const fromZoom = { 30: 0, 10: 3, 1: 6 }[step] ?? 0
        return {
          id: `grid-${step}`,
          type: 'line',
          source: 'grid',
          minzoom: fromZoom,
          filter: ['==', ['get', 'step'], step],
          paint: { 'line-color': colors.grid, 'line-width': 0.7, 'line-opacity': 0.7 },
        }
      }),
      ...near.layers,
      {
        id: 'names',
        type: 'symbol',
        source: 'names',
        // Small countries once there is room around them.
        filter: ['>=', ['get', 'area'], ['step', ['zoom'], 25, 3, 2.5, 5, 0.1, 6, 0]],
        layout: {
          'text-field': ['get', 'name'],
          'text-font': ['Inter Variable'],
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10.5, 6, 15],
          'text-max-width': 7,
          'text-padding': 6,
          // If two would overlap, the larger country's name is shown.
          'symbol-sort-key': ['-', 0, ['get', 'area']],
        },
        paint: { 'text-color': colors.name, 'text-halo-color': colors.land, 'text-halo-width': 1.4 },
      },
    ],
  }
}

function ground(world: GeoJSON.FeatureCollection): StyleSpecification['sources'] {
  return { world: { type: 'geojson', data: world, maxzoom: 8, tolerance: 0.2 } }
}

function groundLayers({ water, land, border }: Ground): LayerSpecification[] {
  return [
    { id: 'water', type: 'background', paint: { 'background-color': water } },
    { id: 'land', type: 'fill', source: 'world', paint: { 'fill-color': land } },
    {
      id: 'borders',
      type: 'line',
      source: 'world',
      paint: { 'line-color': border, 'line-width': 0.9 },
    },
  ]
}
