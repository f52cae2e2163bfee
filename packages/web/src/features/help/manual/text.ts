/** A part of a page below one heading. */
export interface ManualSection {
  /** as in the address; empty for what is above the first heading */
  id: string
  title: string
  text: string
}

/** Pure. Names of the console take the place of `{{key}}`. @param t the text of a key */
export function withNames(markdown: string, t: (key: string) => string): string {
  return markdown.replace(/\{\{([\w.]+)\}\}/g, (_, key: string) => t(key))
}

/** Pure. The keys of texts that a page names. */
export function namesIn(markdown: string): string[] {
  return [...markdown.matchAll(/\{\{([\w.]+)\}\}/g)].map(([, key = '']) => key)
}

/** Pure. The names of the pictures that a page shows. */
export function picturesIn(markdown: string): string[] {
  return [...markdown.matchAll(/!\[[^\]]*\]\((\w+)\)/g)].map(([, name = '']) => name)
}

/** Pure. As in the address: `No values?` → `no-values`. */
export function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

/** Pure. The title of a page: its first line. */
export function titleOf(markdown: string): string {
  return markdown.split('\n', 1)[0]?.replace(/^#\s*/, '') ?? ''
}

/** Pure. A page cut at its headings, without marks of Markdown. */
export function sectionsOf(markdown: string): ManualSection[] {
  return markdown.split(/^(?=## )/m).map((part) => {
    const [first = '', ...rest] = part.split('\n')
    const title = first.replace(/^#+\s*/, '')
    const text = rest
      .map((line) => line.replace(/^\s*-\s+/, ''))
      .join(' ')
      .replace(/!\[[^\]]*\]\(\w+\)/g, '')
      .replace(/[*`]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
    return { id: first.startsWith('## ') ? idOf(title) : '', title, text }
  })
}

const excerptMax = 180

/** Pure. The part of a text around the first of some words. */
export function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = words.map((word) => lower.indexOf(word.toLowerCase())).filter((index) => index >= 0)
  const from = at.length === 0 ? 0 : Math.max(0, Math.min(...at) - 60)
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  const cut = text.slice(start, start + excerptMax)
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptMax < text.length ? ' …' : ''}`
}
