import type { StyleSpecification } from 'maplibre-gl'
import type { Tone } from '../Badges.tsx'

/** From harmless to bad; a cluster shows the highest of its members. */
export const toneRanks: readonly Tone[] = ['accent', 'ok', 'unknown', 'warning', 'invalid', 'error']

interface MapColors {
  water: string
  land: string
  border: string
  text: string
  halo: string
  tones: Record<Tone, string>
}

const light: MapColors = {
  water: '#e4edf1',
  land: '#fbfbfa',
  border: '#c9d2d8',
  text: '#ffffff',
  halo: '#ffffff',
  tones: {
    accent: '#0b7285',
    ok: '#237a3b',
    unknown: '#5f6a73',
    warning: '#ef9f1a',
    invalid: '#7a3ea8',
    error: '#c02626',
  },
}

const dark: MapColors = {
  water: '#0b1013',
  land: '#181d21',
  border: '#333c44',
  text: '#0b1013',
  halo: '#101315',
  tones: {
    accent: '#3bc9db',
    ok: '#69cf85',
    unknown: '#a3adb5',
    warning: '#f2b654',
    invalid: '#cf9df2',
    error: '#ff8080',
  },
}

/** Colour by rank, for points (`rank`) and clusters (`worst`). */
function rankColor(property: string, colors: MapColors) {
  const steps = toneRanks.slice(1).flatMap((tone, index) => [index + 1, colors.tones[tone]])
  return ['step', ['get', property], colors.tones.accent, ...steps] as unknown as string
}

/**
 * The map's style in light or dark: water, land and borders from `world`, a line with its corners from `track`, the points
 * from `points` (clustered).
 */
export function mapStyle(
  mode: 'light' | 'dark',
  world: GeoJSON.FeatureCollection,
  points: GeoJSON.FeatureCollection,
  track: GeoJSON.Feature,
): StyleSpecification {
  const colors = mode === 'dark' ? dark : light
  return {
    version: 8,
    sources: {
      world: { type: 'geojson', data: world, maxzoom: 8, tolerance: 0.2 },
      track: { type: 'geojson', data: track },
      points: {
        type: 'geojson',
        data: points,
        cluster: true,
        clusterRadius: 44,
        clusterMaxZoom: 17,
        // A point may stand for several already: the numbers are added up.
        clusterProperties: { worst: ['max', ['get', 'rank']], sum: ['+', ['get', 'sum']] },
      },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colors.water } },
      { id: 'land', type: 'fill', source: 'world', paint: { 'fill-color': colors.land } },
      {
        id: 'borders',
        type: 'line',
        source: 'world',
        paint: { 'line-color': colors.border, 'line-width': 0.9 },
      },
      {
        id: 'track',
        type: 'line',
        source: 'track',
        layout: { 'line-join': 'round', 'line-cap': 'round' },
        paint: { 'line-color': colors.tones.accent, 'line-width': 2.5, 'line-opacity': 0.75 },
      },
      {
        id: 'corners',
        type: 'circle',
        source: 'track',
        paint: {
          'circle-color': colors.tones.accent,
          'circle-radius': 3,
          'circle-stroke-color': colors.halo,
          'circle-stroke-width': 1,
        },
      },
      {
        id: 'clusters',
        type: 'circle',
        source: 'points',
        filter: ['>', ['get', 'sum'], 1],
        paint: {
          'circle-color': rankColor('worst', colors),
          'circle-radius': ['step', ['get', 'sum'], 15, 10, 18, 100, 22, 1000, 27],
          'circle-stroke-color': colors.halo,
          'circle-stroke-width': 2,
        },
      },
      {
        id: 'counts',
        type: 'symbol',
        source: 'points',
        filter: ['>', ['get', 'sum'], 1],
        layout: {
          'text-field': [
            'case',
            ['>=', ['get', 'sum'], 1000],
            ['concat', ['to-string', ['floor', ['/', ['get', 'sum'], 1000]]], 'k'],
            ['to-string', ['get', 'sum']],
          ],
          'text-size': 12,
          'text-allow-overlap': true,
          'text-font': ['Inter Variable'],
        },
        paint: {
          'text-color': [
            'case',
            ['==', ['get', 'worst'], toneRanks.indexOf('warning')],
            '#241600',
            colors.text,
          ],
        },
      },
      {
        id: 'dots',
        type: 'circle',
        source: 'points',
        filter: ['<=', ['get', 'sum'], 1],
        paint: {
          'circle-color': rankColor('rank', colors),
          'circle-radius': ['case', ['boolean', ['get', 'selected'], false], 10, 7],
          'circle-stroke-color': colors.halo,
          'circle-stroke-width': 2,
        },
      },
    ],
  }
}
