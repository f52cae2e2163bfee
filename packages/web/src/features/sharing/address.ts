import { type MapSettings, mapRanges } from '@leitstand/contract/mapSettings'
import type { Share } from '@leitstand/contract/sharing'

export { mapRanges } from '@leitstand/contract/mapSettings'

/** What the address of a public map may say, see `mapOptionsOf`. */
export interface MapOptions {
  markerstyle: 'default' | 'outlined'
  /** without the bar with zoom and fit */
  hidebar: boolean
  /** floor plans: of the twin if it is a floor, else of the floors of the building, one of which can be chosen */
  indoor: boolean
  /** degrees */
  pitch: number
  bearing: number
  /** 0 to 22; undefined: everything fits */
  zoom: number | undefined
  /** pixels within which twins become one cluster */
  distance: number
  /** number of the map style, from 1 */
  style: number
}

/** Twin map defaults of the specification. */
export const mapDefaults: MapOptions = {
  markerstyle: 'default',
  hidebar: false,
  indoor: false,
  pitch: 50,
  bearing: 0,
  zoom: undefined,
  distance: 50,
  style: 1,
}

/** The options of a map whose twin has these settings. */
export function optionsOf({ markerStyle, pitch, bearing, zoom, distance, style }: MapSettings): MapOptions {
  return {
    ...mapDefaults,
    markerstyle: markerStyle,
    pitch,
    bearing,
    zoom: zoom ?? undefined,
    distance,
    style: style ?? mapDefaults.style,
  }
}

type Search = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * The options in an address; what is missing or out of range has its default, so that a screen always shows a map.
 * @param defaults those of the settings of the twin
 */
export function mapOptionsOf(search: Search, defaults: MapOptions = mapDefaults): MapOptions {
  const text = (key: string) => {
    const value = search[key]
    return typeof value === 'string' ? value : value?.[0]
  }
  const whole = <K extends keyof typeof mapRanges>(key: K): MapOptions[K] | number => {
    const given = text(key)
    const [min, max] = mapRanges[key]
    const number = given !== undefined && /^\d{1,3}$/.test(given) ? Number(given) : Number.NaN
    return number >= min && number <= max ? number : defaults[key]
  }
  return {
    markerstyle: markerStyleOf(text('markerstyle')) ?? defaults.markerstyle,
    hidebar: text('hidebar') === 'true',
    indoor: text('indoor') === 'true',
    pitch: whole('pitch') ?? defaults.pitch,
    bearing: whole('bearing') ?? defaults.bearing,
    zoom: whole('zoom'),
    distance: whole('distance') ?? defaults.distance,
    style: whole('style') ?? defaults.style,
  }
}

const markerStyleOf = (text: string | undefined) =>
  text === 'outlined' || text === 'default' ? text : undefined

/** The query of these options, without those at their default; empty if all are. */
export function mapQueryOf(options: MapOptions, defaults: MapOptions = mapDefaults): string {
  const changed = Object.entries(options).filter(
    ([key, value]) => value !== undefined && value !== defaults[key as keyof MapOptions],
  )
  const query = new URLSearchParams(changed.map(([key, value]): [string, string] => [key, String(value)]))
  return query.size === 0 ? '' : `?${query}`
}

export type PageKind = 'tiles' | 'map'

/**
 * The address of a public page.
 * @param query as `mapQueryOf` returns it
 * @param framed for frames on other web sites
 */
export function pageAddress(
  origin: string,
  { token, objectId }: Pick<Share, 'token' | 'objectId'>,
  page: PageKind,
  { query = '', framed = false }: { query?: string; framed?: boolean } = {},
): string {
  return `${origin}${framed ? `/public/${token}` : '/'}#/public/${token}/${page}/${objectId}${query}`
}

/** HTML that shows a public page on a web site. */
export function frameCode(address: string, title: string): string {
  return `<iframe src="${escaped(address)}" title="${escaped(title)}" width="100%" height="480" style="border:0" loading="lazy"></iframe>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '')
}
