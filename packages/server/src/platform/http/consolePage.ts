import { ownName } from '../brands.ts'

/** How the page of the console differs under a host. */
export interface ConsolePage {
  /** what takes the place of our own name; null: that stays */
  name: string | null
  /** path of a PNG on the same host; null: the neutral icon */
  icon: string | null
  /** light or dark, and the language, until the user chooses; `auto`: as the browser says */
  mode: string
  language: string
  /** `#rgb` or `#rrggbb` */
  colour: string | null
  /** for the console's code, see `packages/web/src/lib/brand.ts` */
  data: object
}

const neutralIcon = '/icon.svg'

/** Pure. The page with the brand in its head, so that nothing of another look is seen first. */
export function pageOf(html: string, { name, icon, mode, language, data }: ConsolePage): string {
  const wants =
    (mode === 'auto' ? '' : ` data-mode="${escaped(mode)}"`) +
    (language === 'auto' ? '' : ` data-language="${escaped(language)}"`)
  const meta = `<meta name="brand" content="${escaped(JSON.stringify(data))}" />`
  const withBrand = html
    .replace(/<html\b[^>]*/, (start) => start + wants)
    .replace('<head>', () => `<head>\n    ${meta}`)
  if (name === null) return withBrand
  return withBrand
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(name)}</title>`)
    .replace(/<link rel="icon"[^>]*>/, () =>
      icon === null
        ? `<link rel="icon" href="${neutralIcon}" type="image/svg+xml" />`
        : `<link rel="icon" href="${escaped(icon)}" type="image/png" />`,
    )
    .replace(/<meta name="description"[^>]*>/, () => `<meta name="description" content="${escaped(name)}" />`)
    .replace(/<noscript>[^<]*<\/noscript>/, (text) => text.replaceAll(ownName, () => escaped(name)))
}

/** Pure. The web app manifest: what the console is called and looks like once it is installed. */
export function manifestOf({ icon, colour }: ConsolePage, name: string) {
  return {
    name,
    short_name: [...name].slice(0, 12).join('').trim(),
    start_url: '/',
    display: 'standalone',
    background_color: '#101315',
    theme_color: colour ?? '#0b7285',
    icons: [
      icon === null
        ? { src: neutralIcon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }
        : { src: icon, sizes: 'any', type: 'image/png', purpose: 'any' },
    ],
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
