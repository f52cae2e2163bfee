import { type Channels, channelsOf, contrast } from './colours.ts'

/** The page behind a highlight colour, by mode. */
const pages: Readonly<Record<'light' | 'dark', Channels>> = { light: [255, 255, 255], dark: [16, 19, 21] }

/** WCAG 2.2 AA for small text. */
export const contrastGood = 4.5
/** Below, a colour can hardly be told from the page. */
export const contrastLeast = 1.5

/** How a highlight colour stands out from the page. */
export interface HighlightContrast {
  /** 1 to 21, as WCAG 2 defines it */
  ratio: number
  /**
   * `good`: used as it is; `weak`: texts and buttons use the nearest shade that can be read; `unreadable`: too
   * close to the page, refused
   */
  verdict: 'good' | 'weak' | 'unreadable'
}

/**
 * Pure. Compares a highlight colour with the page of a mode.
 * @param hex `#rgb` or `#rrggbb`; undefined when it is neither
 */
export function highlightContrast(hex: string, mode: 'light' | 'dark'): HighlightContrast | undefined {
  const colour = channelsOf(hex)
  if (!colour) return undefined
  const ratio = contrast(colour, pages[mode])
  const verdict = ratio >= contrastGood ? 'good' : ratio >= contrastLeast ? 'weak' : 'unreadable'
  return { ratio, verdict }
}
