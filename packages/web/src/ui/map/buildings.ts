import type { LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { MapMode } from './builtIn.ts'
import { type BaseMap, ours } from './style.ts'

/** Tilt of the map that makes heights visible, from the zoom at which there are buildings. */
export const tiltDegrees = 50
export const buildingsFromZoom = 14

const colors: Record<MapMode, string> = { light: '#d8d2c8', dark: '#3a444d' }

type BuildingLayer = Extract<LayerSpecification, { type: 'fill' | 'fill-extrusion' | 'line' }>

/** The style's layers that draw buildings from tiles in the OpenMapTiles schema. */
function buildingLayers({ layers, sources }: StyleSpecification): BuildingLayer[] {
  return layers.filter(
    (layer): layer is BuildingLayer =>
      'source-layer' in layer &&
      layer['source-layer'] === 'building' &&
      ['fill', 'fill-extrusion', 'line'].includes(layer.type) &&
      sources[layer.source]?.type === 'vector',
  )
}

/** Whether the style has buildings. */
export function hasBuildings(style: StyleSpecification): boolean {
  return buildingLayers(style).length > 0
}

/**
 * The map with its buildings in 3D or flat. Buildings the style already extrudes are left as they are;
 * otherwise a layer is added below the labels.
 */
export function withBuildings(base: BaseMap, raised: boolean): BaseMap {
  const known = buildingLayers(base.style)
  const [first] = known
  if (!first) return base
  const solid = known.filter(({ type }) => type === 'fill-extrusion')
  if (raised && solid.length > 0) return base
  const { layers } = base.style
  if (!raised) {
    const flat = layers.filter((layer) => !solid.some(({ id }) => id === layer.id))
    return solid.length === 0 ? base : { ...base, style: { ...base.style, layers: flat } }
  }
  const last = layers.findLastIndex((layer) => known.some(({ id }) => id === layer.id))
  const name = layers.findIndex((layer, index) => index > last && layer.type === 'symbol')
  const at = name === -1 ? layers.length : name
  const layer: LayerSpecification = {
    id: ours.buildings,
    type: 'fill-extrusion',
    source: first.source,
    'source-layer': 'building',
    minzoom: buildingsFromZoom,
    filter: ['!=', ['get', 'hide_3d'], true],
    paint: {
      'fill-extrusion-color': colors[base.mode],
      'fill-extrusion-height': ['coalesce', ['get', 'render_height'], 5],
      'fill-extrusion-base': ['coalesce', ['get', 'render_min_height'], 0],
    },
  }
  return { ...base, style: { ...base.style, layers: layers.toSpliced(at, 0, layer) } }
}
