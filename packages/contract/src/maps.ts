import * as z from 'zod'
import { operation } from './common.ts'

/** Map styles built into the console, drawn without an external server; the first is the default. */
export const builtInMapLayouts = ['plain', 'atlas'] as const
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
})
export type MapStyle = z.infer<typeof MapStyle>

export const map = {
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
