import MiniSearch from 'minisearch'
import type { Language } from '../../../lib/i18n.ts'
import { loadPage, type ManualPageName, pageNames } from './pages.ts'
import { excerptOf, sectionsOf, titleOf, withNames } from './text.ts'

export interface Hit {
  page: ManualPageName
  pageTitle: string
  section: string
  title: string
  excerpt: string
}

const hitsMax = 12

/** What is searched: every section of every page. */
export type ManualIndex = (query: string) => Hit[]

/** Reads the whole manual. @param t the text of a key */
export async function readIndex(language: Language, t: (key: string) => string): Promise<ManualIndex> {
  const index = new MiniSearch<{
    id: string
    page: ManualPageName
    pageTitle: string
    section: string
    title: string
    text: string
  }>({
    fields: ['title', 'pageTitle', 'text'],
    storeFields: ['page', 'pageTitle', 'section', 'title', 'text'],
    searchOptions: {
      boost: { title: 3, pageTitle: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  })
  const pages = await Promise.all(
    pageNames.map(async (page) => [page, await loadPage(language, page)] as const),
  )
  for (const [page, markdown] of pages) {
    const whole = withNames(markdown, t)
    const pageTitle = titleOf(whole)
    for (const { id, title, text } of sectionsOf(whole))
      index.add({ id: `${page}#${id}`, page, pageTitle, section: id, title, text })
  }
  return (query) =>
    index
      .search(query)
      .slice(0, hitsMax)
      .map(({ page, pageTitle, section, title, text, terms }) => ({
        page,
        pageTitle,
        section,
        title,
        excerpt: excerptOf(text, terms),
      }))
}
