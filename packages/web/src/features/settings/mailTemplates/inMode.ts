/**
 * Pure. An email as a program in light or dark mode shows it, whatever mode this browser is in.
 * @param html as the server makes it, with its dark colours in one media query
 */
export function inMode(html: string, mode: 'light' | 'dark'): string {
  return html
    .replace('@media (prefers-color-scheme:dark)', () => (mode === 'dark' ? '@media all' : '@media not all'))
    .replace(':root{color-scheme:light dark', () => `:root{color-scheme:${mode}`)
}
