import * as z from 'zod'
import { operation } from './common.ts'

/** Looks of the maps that the console brings along and draws without any other server; the first is the default. */
export const builtInMapLayouts = ['plain', 'atlas'] as const
export type BuiltInMapLayout = (typeof builtInMapLayouts)[number]

/** A look of the maps that the operator of the installation has named. */
export const MapStyle = z.object({
  /** as in the user default `mapLayout`; never one of `builtInMapLayouts` */
  id: z.string(),
  title: z.object({ de: z.string(), en: z.string() }),
  /** address of a MapLibre style document */
  light: z.string(),
  /** the same for dark mode; null: `light` is shown there, too */
  dark: z.string().nullable(),
  /** whose data it is, beside what the style says itself; may hold links as HTML, empty: nothing */
  attribution: z.string(),
  /** what the console may be sent to for it, e.g. `https://tiles.example.org`; nothing else is let through */
  origins: z.array(z.string()),
})
export type MapStyle = z.infer<typeof MapStyle>

export const map = {
  /** The map styles of the installation. Not for guests: an address may hold the key of a tile server. */
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
