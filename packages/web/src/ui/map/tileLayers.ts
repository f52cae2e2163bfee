import type { MapTiles } from '@leitstand/contract/maps'
import { type Flavor, namedFlavor, layers as themeLayers } from '@protomaps/basemaps'
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { MapMode } from './builtIn.ts'
import type { LocalColors } from './localLayers.ts'

/** Further out the built-in countries are better: an extract has only its own part of them. */
const fromZoom = 7

/** What the built-in style draws itself, what only shows further out, and signs that need pictures, which we do not have. */
const omitted: ReadonlySet<string> = new Set([
  'background',
  'landcover',
  'places_country',
  'roads_oneway',
  'roads_shields',
])

/** House numbers have no translation. */
const untranslated: ReadonlySet<string> = new Set(['address_label'])

interface TilesLook {
  /** its name in the style */
  source: string
  mode: MapMode
  /** colours of the countries around them */
  ground: { water: string; land: string }
  /** as a local map has */
  streets: LocalColors
  language: string
}

/**
 * The installation's map tiles (`MAP_TILES`, the schema of Protomaps) as layers between the countries and what the console
 * draws, with names in `language`. Texts use the console's own font, and there are no pictures: the browser loads nothing else.
 */
export function tileLayers(
  { version, minZoom, maxZoom, bounds }: MapTiles,
  { source, mode, ground, streets, language }: TilesLook,
): { sources: StyleSpecification['sources']; layers: LayerSpecification[] } {
  const own = { earth: ground.land, water: ground.water, ...streetColors(streets) }
  const flavor = { ...namedFlavor(mode), ...own }
  const { west, south, east, north } = bounds
  return {
    sources: {
      [source]: {
        type: 'vector',
        tiles: [`${location.origin}/map/tiles/{z}/{x}/{y}?v=${version}`],
        minzoom: minZoom,
        maxzoom: maxZoom,
        bounds: [west, south, east, north],
      },
    },
    layers: themeLayers(source, flavor, { lang: language })
      .filter(({ id }) => !omitted.has(id))
      .map((layer) => ownLayer(layer as LayerSpecification, language)),
  }
}

/** The colours that local maps have, too; only motorways keep those of the theme. */
function streetColors({ green, square, building, street, casing, name, halo }: LocalColors): Partial<Flavor> {
  const of = (color: string, keys: readonly (keyof Flavor)[]) =>
    Object.fromEntries(keys.map((key) => [key, color]))
  return {
    ...of(green, ['park_a', 'park_b', 'wood_a', 'wood_b']),
    ...of(square, ['pedestrian']),
    ...of(building, ['buildings']),
    ...of(street, ['other', 'minor_service', 'minor_a', 'minor_b', 'link', 'major']),
    ...of(street, ['bridges_other', 'bridges_minor', 'bridges_link', 'bridges_major']),
    ...of(casing, ['minor_service_casing', 'minor_casing', 'link_casing', 'major_casing_late']),
    ...of(casing, ['major_casing_early', 'bridges_other_casing', 'bridges_minor_casing']),
    ...of(casing, ['bridges_link_casing', 'bridges_major_casing']),
    ...of(name, ['roads_label_minor', 'roads_label_major', 'subplace_label', 'city_label', 'address_label']),
    ...of(halo, ['roads_label_minor_halo', 'roads_label_major_halo', 'subplace_label_halo']),
    ...of(halo, ['city_label_halo', 'address_label_halo']),
  }
}

function ownLayer(layer: LayerSpecification, language: string): LayerSpecification {
  const own = { ...layer, id: `tiles-${layer.id}`, minzoom: Math.max(fromZoom, layer.minzoom ?? 0) }
  if (own.type !== 'symbol') return own
  const texts = Object.entries(own.layout ?? {}).filter(([name]) => !name.startsWith('icon-'))
  return {
    ...own,
    layout: {
      ...Object.fromEntries(texts),
      'text-font': ['Inter Variable'],
      ...(untranslated.has(layer.id)
        ? {}
        : { 'text-field': ['coalesce', ['get', `name:${language}`], ['get', 'name']] }),
    },
  }
}
