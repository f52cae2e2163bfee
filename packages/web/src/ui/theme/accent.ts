import type { PublicBrand } from '@leitstand/contract/branding'
import { type Channels, channelsOf, contrast, hexOf } from '@leitstand/contract/colours'
import type { MantineColorsTuple } from '@mantine/core'
import type { UserDefaults } from '../../lib/session.ts'

/** Selectable accents besides the platform's default, by stored name. */
export const accents = {
  blue: '#1864ab',
  indigo: '#3b5bdb',
  violet: '#6741d9',
  pink: '#a61e4d',
  orange: '#b8460b',
  green: '#2b6e3f',
  grey: '#495057',
} as const
export type AccentName = keyof typeof accents

/** The platform's accents, where a brand sets only one of the two. */
export const ownLight = '#0b7285'
export const ownDark = '#3bc9db'

/** The value of `color` that refers to `customColor`. */
export const ownAccent = 'customerColor'

export function isAccentName(name: string | undefined): name is AccentName {
  return name !== undefined && Object.hasOwn(accents, name)
}

/** The user's accent colour, `#rrggbb`; undefined: that of the brand, or the platform's default. */
export function accentOf({ color, customColor }: UserDefaults): string | undefined {
  if (isAccentName(color)) return accents[color]
  if (color !== ownAccent || customColor === undefined) return undefined
  const channels = channelsOf(customColor)
  return channels && hexOf(channels)
}

/** Shades of an accent, readable on light and dark surfaces whatever colour was selected. */
export interface Accent {
  readonly light: Shades
  readonly dark: Shades
  readonly scale: MantineColorsTuple
}

interface Shades {
  /** text, lines, filled buttons */
  readonly strong: string
  /** background of selected items */
  readonly soft: string
  readonly softHover: string
  /** selected rows */
  readonly row: string
  /** text on `strong` */
  readonly on: string
}

const white: Channels = [255, 255, 255]
const black: Channels = [0, 0, 0]
const sunken: Channels = [247, 248, 249]
const night: Channels = [16, 19, 21]
const ink: Channels = [5, 18, 22]
/** WCAG 2.2 AA for small text, with a margin for rounding. */
const contrastMin = 4.6
const steps = 50

/**
 * The highlight colours of a brand, for a user who has chosen no accent, or "own colour" without a colour.
 * @returns one of light and one of dark mode; each may be missing
 */
export function accentsOfBrand(
  brand: Pick<
    PublicBrand,
    'lightHighlight' | 'darkHighlight' | 'lightHighlightCustomer' | 'darkHighlightCustomer'
  > | null,
  { color }: UserDefaults,
): readonly [string | null, string | null] {
  if (!brand) return [null, null]
  const { lightHighlight: light, darkHighlight: dark } = brand
  if (color !== ownAccent) return [light, dark]
  return [brand.lightHighlightCustomer ?? light, brand.darkHighlightCustomer ?? dark]
}

/**
 * @param hex `#rgb` or `#rrggbb`; undefined when it is neither
 * @param darkHex another colour for dark mode
 */
export function accentFrom(hex: string, darkHex = hex): Accent | undefined {
  const colour = channelsOf(hex)
  const ofDark = channelsOf(darkHex)
  if (!colour || !ofDark) return undefined
  const softLight = mix(colour, white, 0.9)
  const light = towards(colour, black, (each) =>
    [softLight, sunken].every((ground) => contrast(each, ground) >= contrastMin),
  )
  const softDark = mix(ofDark, night, 0.8)
  const dark = towards(ofDark, white, (each) =>
    [softDark, night, ink].every((ground) => contrast(each, ground) >= contrastMin),
  )
  const tint = (share: number) => hexOf(mix(light, white, share))
  const between = (share: number) => hexOf(mix(dark, light, share))
  return {
    light: {
      strong: hexOf(light),
      on: '#ffffff',
      soft: hexOf(softLight),
      softHover: hexOf(mix(colour, white, 0.84)),
      row: hexOf(mix(colour, white, 0.93)),
    },
    dark: {
      strong: hexOf(dark),
      on: hexOf(ink),
      soft: hexOf(softDark),
      softHover: hexOf(mix(ofDark, night, 0.74)),
      row: hexOf(mix(ofDark, night, 0.86)),
    },
    // Index 4 is the accent of dark mode, 9 that of light mode, as in the platform's default scale.
    scale: [
      ...([tint(0.92), tint(0.84), tint(0.7), tint(0.5), hexOf(dark)] as const),
      ...([between(0.2), between(0.4), between(0.6), between(0.8), hexOf(light)] as const),
    ],
  }
}

/** The first colour between the two that is good enough. */
function towards(from: Channels, to: Channels, isGood: (colour: Channels) => boolean): Channels {
  for (let step = 0; step < steps; step++) {
    const colour = mix(from, to, step / steps)
    if (isGood(colour)) return colour
  }
  return to
}

function mix(from: Channels, to: Channels, share: number): Channels {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [channel(0), channel(1), channel(2)]
}
