import * as z from 'zod'
import { operation } from './common.ts'
import { GeoBounds } from './geo.ts'

/** Map styles built into the console, drawn without an external server; the first is the default. */
export const builtInMapLayouts = ['plain', 'atlas', 'high-contrast', 'always-dark'] as const
export type BuiltInMapLayout = (typeof builtInMapLayouts)[number]

/** A map style configured by the operator of the installation. */
export const MapStyle = z.object({
  /** as in the user default `mapLayout`; never one of `builtInMapLayouts` */
  id: z.string(),
  title: z.object({ de: z.string(), en: z.string() }),
  /** address of a MapLibre style document */
  light: z.string(),
  /** the same for dark mode; null: `light` is used there, too */
  dark: z.string().nullable(),
  /** attribution in addition to that of the style; may contain links as HTML, may be empty */
  attribution: z.string(),
  /**
   * origins the console may connect to for this style, e.g. `https://tiles.example.org`; all others are
   * blocked
   */
  origins: z.array(z.string()),
  /** the greatest zoom that it offers */
  maxZoom: z.int().min(0).max(22),
})
export type MapStyle = z.infer<typeof MapStyle>

/** Maximum size of a local map as JSON, in bytes. */
export const localMapMax = 2_000_000

/** Map tiles of the installation, served below `/map/tiles/{z}/{x}/{y}`: vector tiles in the schema of Protomaps. */
export const MapTiles = z.object({
  /** changes with the file */
  version: z.string(),
  minZoom: z.int(),
  maxZoom: z.int(),
  /** where there are tiles */
  bounds: GeoBounds,
})
export type MapTiles = z.infer<typeof MapTiles>

const Position = z.array(z.number()).min(2).max(3)
const named = <Kind extends string>(...kinds: [Kind, ...Kind[]]) =>
  z.object({ kind: z.enum(kinds), name: z.string().max(100).optional() })

/** Streets, buildings, water and green spaces that built-in styles draw; GeoJSON, longitude first. */
export const LocalMap = z.object({
  type: z.literal('FeatureCollection'),
  features: z
    .array(
      z.union([
        z.object({
          type: z.literal('Feature'),
          geometry: z.object({ type: z.literal('Polygon'), coordinates: z.array(z.array(Position)) }),
          properties: named('green', 'water', 'square', 'building'),
        }),
        z.object({
          type: z.literal('Feature'),
          geometry: z.object({ type: z.literal('LineString'), coordinates: z.array(Position) }),
          properties: named('road', 'street', 'path'),
        }),
      ]),
    )
    .max(20_000),
})
export type LocalMap = z.infer<typeof LocalMap>

/** What the built-in styles draw besides countries; null without it. */
export const Surroundings = z.object({ map: LocalMap.nullable(), tiles: MapTiles.nullable() })

export const map = {
  /** Local map and tiles of the installation. */
  local: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/map/local', tags: ['theming'], summary: 'Local map of the installation' })
    .output(Surroundings),
  /** The map styles of the installation. Not for guests: a URL may contain the key of a tile server. */
  styles: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/map/styles',
      tags: ['theming'],
      summary: 'Map styles of the installation',
    })
    .output(z.object({ items: z.array(MapStyle) })),
}
