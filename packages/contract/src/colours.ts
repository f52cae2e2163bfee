/** Red, green and blue, 0 to 255. */
export type Channels = readonly [number, number, number]

/** @param hex `#rgb` or `#rrggbb`; undefined when it is neither */
export function channelsOf(hex: string): Channels | undefined {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(hex)
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex)
  const [, red, green, blue] = long ?? short ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const value = (text: string) => Number.parseInt(text.length === 1 ? text + text : text, 16)
  return [value(red), value(green), value(blue)]
}

export function hexOf(channels: Channels): string {
  return `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`
}

/** Contrast of WCAG 2, 1 to 21. */
export function contrast(one: Channels, other: Channels): number {
  const [bright, dim] = [luminance(one), luminance(other)].sort((left, right) => right - left)
  return ((bright ?? 0) + 0.05) / ((dim ?? 0) + 0.05)
}

function luminance(channels: Channels): number {
  const [red = 0, green = 0, blue = 0] = channels.map((each) => {
    const share = each / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
