import type { Language } from '../../../lib/i18n.ts'

/** The pages of the manual by area, in the order of its contents. Each is `pages/<language>/<name>.md`. */
export const chapters = [
  { key: 'begin', pages: ['start', 'finding', 'profile'] },
  { key: 'things', pages: ['devices', 'twins', 'templates'] },
  { key: 'watch', pages: ['dashboards', 'alarms', 'rules', 'exports'] },
  { key: 'facility', pages: ['tickets', 'keys', 'assets', 'warnapp'] },
  { key: 'connect', pages: ['connectors', 'drivers', 'access'] },
  { key: 'manage', pages: ['accounts', 'roles', 'settings', 'operating'] },
  { key: 'news', pages: ['new'] },
] as const

export type ManualPageName = (typeof chapters)[number]['pages'][number]

export const pageNames: readonly ManualPageName[] = chapters.flatMap(({ pages }) => [...pages])

export function isPageName(name: string | undefined): name is ManualPageName {
  return pageNames.some((one) => one === name)
}

type Loader = () => Promise<string>

const files = import.meta.glob<string>('./pages/*/*.md', { query: '?raw', import: 'default' }) as Record<
  string,
  Loader
>

/** @returns the page in Markdown, with names of the console as `{{key of the text}}` */
export async function loadPage(language: Language, name: ManualPageName): Promise<string> {
  const load = files[`./pages/${language}/${name}.md`]
  if (load === undefined) throw new Error(`the manual has no page ${name}`)
  return load()
}

/** Pictures by language and name, e.g. `de/devices`. */
const pictures = import.meta.glob<string>('./pictures/*/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

/** Address of a picture of the console; undefined if there is none. */
export function pictureOf(language: Language, name: string): string | undefined {
  return pictures[`./pictures/${language}/${name}.webp`]
}
