import type { MapTiles } from '@leitstand/contract/maps'
import { namedFlavor, layers as themeLayers } from '@protomaps/basemaps'
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { MapMode } from './builtIn.ts'
import { tilesSource as source } from './style.ts'

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

/**
 * The installation's map tiles (`MAP_TILES`, the schema of Protomaps) as layers between the countries and what the console
 * draws, with names in `language`. Texts use the console's own font, and there are no pictures: the browser loads nothing else.
 * @param ground colours of the countries around them
 */
export function tileLayers(
  { version, minZoom, maxZoom, bounds }: MapTiles,
  { mode, ground, language }: { mode: MapMode; ground: { water: string; land: string }; language: string },
): { sources: StyleSpecification['sources']; layers: LayerSpecification[] } {
  const flavor = { ...namedFlavor(mode), earth: ground.land, water: ground.water }
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
