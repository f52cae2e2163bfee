import fontUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { Tone } from '../display/Badges.tsx'
import type { MapMode } from './builtIn.ts'

/** By severity; a cluster shows the highest of its members. */
export const toneRanks: readonly Tone[] = ['accent', 'ok', 'unknown', 'warning', 'invalid', 'error']

/** Names of the console's own sources and layers, which no other style uses. */
export const ours = {
  points: 'leitstand-points',
  buildings: 'leitstand-buildings',
  areas: 'leitstand-areas',
  outlines: 'leitstand-outlines',
  track: 'leitstand-track',
  corners: 'leitstand-corners',
  clusters: 'leitstand-clusters',
  counts: 'leitstand-counts',
  dots: 'leitstand-dots',
  icons: 'leitstand-icons',
  values: 'leitstand-values',
} as const

/** For the numbers on clusters; from the console's own file, independent of the style server's fonts. */
const font = 'Inter Variable'

type Hex = `#${string}`

interface MapColors {
  text: Hex
  halo: Hex
  /** of values beside points */
  label: Hex
  tones: Record<Tone, Hex>
}

const light: MapColors = {
  text: '#ffffff',
  halo: '#ffffff',
  label: '#1b2429',
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
  text: '#0b1013',
  halo: '#101315',
  label: '#eef2f4',
  tones: {
    accent: '#3bc9db',
    ok: '#69cf85',
    unknown: '#a3adb5',
    warning: '#f2b654',
    invalid: '#cf9df2',
    error: '#ff8080',
  },
}

/** Colours of a polygon that is edited. */
export interface AreaColors {
  line: Hex
  halo: Hex
  /** of the selected corner */
  mark: Hex
}

/** The colours by mode, each of them the same object every time. */
export const areaColors: Record<MapMode, AreaColors> = {
  light: areaColorsOf(light),
  dark: areaColorsOf(dark),
}

function areaColorsOf({ halo, tones }: MapColors): AreaColors {
  return { line: tones.accent, halo, mark: tones.warning }
}

/** Colour by rank, for areas, points (`rank`) and clusters (`worst`). */
function rankColor(property: string, colors: MapColors) {
  const steps = toneRanks.slice(1).flatMap((tone, index) => [index + 1, colors.tones[tone]])
  return ['step', ['get', property], colors.tones.accent, ...steps] as unknown as string
}

/** Width of an icon on a point, in pixels. */
export const iconSize = 16

/** Colours of icons on filled points and in rings, by mode. */
export const iconInks = {
  light: { filled: light.text, outlined: light.label },
  dark: { filled: dark.text, outlined: dark.label },
} as const satisfies Record<MapMode, object>

/** The background map. */
export interface BaseMap {
  style: StyleSpecification
  /** whether it is light or dark, which can differ from the console */
  mode: MapMode
}

const clustering = {
  cluster: true,
  clusterRadius: 44,
  clusterMaxZoom: 17,
  clusterProperties: { worst: ['max', ['get', 'rank']], sum: ['+', ['get', 'sum']] },
}

/** What the console draws on a map. */
export interface MapData {
  points: GeoJSON.FeatureCollection
  track: GeoJSON.Feature
  areas: GeoJSON.FeatureCollection
  /** false if the points are clustered already */
  clustered: boolean
  /** points as rings instead of filled dots */
  outlined: boolean
}

/**
 * The style with the console's layers on top: the areas, a line with its vertices from `track`, the points.
 */
export function mapStyle(
  { style, mode }: BaseMap,
  { points, track, areas, clustered, outlined }: MapData,
): StyleSpecification {
  return {
    ...style,
    ...(style.glyphs ? { 'font-faces': { ...style['font-faces'], [font]: fontUrl } } : {}),
    sources: {
      ...style.sources,
      // Not simplified: a circle would show its corners.
      [ours.areas]: { type: 'geojson', data: areas, tolerance: 0 },
      [ours.track]: { type: 'geojson', data: track },
      [ours.points]: {
        type: 'geojson',
        data: points,
        promoteId: 'id',
        ...(clustered ? clustering : {}),
      },
    },
    layers: [...style.layers, ...ourLayers(mode, outlined)],
  }
}

const hasIcon = ['!=', ['coalesce', ['get', 'icon'], ''], ''] as unknown as ExpressionSpecification

/** The layers of single points: those that depend on whether these are filled or rings. */
export function pointLayers({ mode }: Pick<BaseMap, 'mode'>, outlined: boolean) {
  const colors = mode === 'dark' ? dark : light
  const rank = rankColor('rank', colors)
  return {
    dots: {
      id: ours.dots,
      type: 'circle',
      source: ours.points,
      filter: ['<=', ['get', 'sum'], 1],
      paint: {
        'circle-color': outlined ? colors.halo : rank,
        'circle-radius': [
          'case',
          ['boolean', ['get', 'selected'], false],
          ['case', hasIcon, 15, 10],
          ['case', hasIcon, 12, 7],
        ],
        'circle-stroke-color': outlined ? rank : colors.halo,
        'circle-stroke-width': outlined ? 4 : 2,
      },
    },
    icons: {
      id: ours.icons,
      type: 'symbol',
      source: ours.points,
      filter: ['all', ['<=', ['get', 'sum'], 1], hasIcon],
      layout: {
        'icon-image': ['concat', outlined ? 'outlined:' : 'filled:', ['get', 'icon']],
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
      },
    },
  } satisfies Record<string, LayerSpecification>
}

function ourLayers(mode: MapMode, outlined: boolean): LayerSpecification[] {
  const colors = mode === 'dark' ? dark : light
  const single = pointLayers({ mode }, outlined)
  return [
    {
      id: ours.areas,
      type: 'fill',
      source: ours.areas,
      paint: { 'fill-color': rankColor('rank', colors), 'fill-opacity': 0.18 },
    },
    {
      id: ours.outlines,
      type: 'line',
      source: ours.areas,
      layout: { 'line-join': 'round' },
      paint: { 'line-color': rankColor('rank', colors), 'line-width': 2 },
    },
    {
      id: ours.track,
      type: 'line',
      source: ours.track,
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: { 'line-color': colors.tones.accent, 'line-width': 2.5, 'line-opacity': 0.75 },
    },
    {
      id: ours.corners,
      type: 'circle',
      source: ours.track,
      paint: {
        'circle-color': colors.tones.accent,
        'circle-radius': 3,
        'circle-stroke-color': colors.halo,
        'circle-stroke-width': 1,
      },
    },
    {
      id: ours.clusters,
      type: 'circle',
      source: ours.points,
      filter: ['>', ['get', 'sum'], 1],
      paint: {
        'circle-color': rankColor('worst', colors),
        'circle-radius': ['step', ['get', 'sum'], 15, 10, 18, 100, 22, 1000, 27],
        'circle-stroke-color': colors.halo,
        'circle-stroke-width': 2,
      },
    },
    {
      id: ours.counts,
      type: 'symbol',
      source: ours.points,
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
        'text-font': [font],
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
    single.dots,
    single.icons,
    {
      id: ours.values,
      type: 'symbol',
      source: ours.points,
      filter: ['!=', ['coalesce', ['get', 'value'], ''], ''],
      layout: {
        'text-field': ['get', 'value'],
        'text-size': 14,
        'text-anchor': 'top',
        'text-offset': ['case', hasIcon, ['literal', [0, 1.1]], ['literal', [0, 0.8]]],
        'text-font': [font],
      },
      paint: { 'text-color': colors.label, 'text-halo-color': colors.halo, 'text-halo-width': 2 },
    },
  ]
}
