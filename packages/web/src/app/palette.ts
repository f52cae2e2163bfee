import { fold, foldFields, isFound, parseSearch } from '@leitstand/contract/search'
import { navigation } from './nav.ts'
import { type ScreenRoute, screens } from './routes.ts'

/** What the palette knows of an entry to find and rank it. */
export interface Findable {
  readonly label: string
  readonly description?: string
  /** further words it is found by */
  readonly keywords?: string
  /** the page it opens */
  readonly path?: string
}

/** Entries that a query finds. */
export function matching<T extends Findable>(entries: readonly T[], query: string): T[] {
  const search = parseSearch(query)
  if (search === null) return [...entries]
  return entries.filter(({ label, description, keywords }) =>
    isFound(search, foldFields(label, description, keywords)),
  )
}

/** How much having been opened lately counts, in steps of `distance`. */
const recentBonus = 1.5

/** How far a label is from the query: the same, begins with it, a word begins with it, contains it, neither. */
function distance(label: string, query: string): number {
  const text = fold(label)
  const forms = parseSearch(`"${query}"`)?.[0]?.forms ?? []
  const isAny = (test: (form: string) => boolean) => forms.some(test)
  if (isAny((form) => text.split('\n').includes(form))) return 0
  if (isAny((form) => text.startsWith(form) || text.includes(`\n${form}`))) return 1
  if (isAny((form) => text.includes(` ${form}`))) return 2
  return isAny((form) => text.includes(form)) ? 3 : 4
}

/**
 * Entries by how well they fit, those opened lately before equals; otherwise in the given order.
 * @param recent pages opened lately, newest first
 */
export function ranked<T extends Findable>(
  entries: readonly T[],
  query: string,
  recent: readonly string[],
): T[] {
  const rank = ({ label, path }: T) => {
    const at = path === undefined ? -1 : recent.indexOf(path)
    return distance(label, query.trim()) - (at < 0 ? 0 : recentBonus - at / 1000)
  }
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
}

const navPaths = navigation.flatMap((group) => group.items.map((item) => item.path))

/** Place of a screen in the palette: the order of the drawer, then all others. */
export function drawerRank(path: string): number {
  const index = navPaths.indexOf(path)
  return index < 0 ? navPaths.length : index
}

/** Built screens that open without parameters, in the order of the drawer. */
export function offeredScreens(): ScreenRoute[] {
  return screens
    .filter(({ load, layout, path }) => load && layout === 'shell' && !path.includes('$'))
    .sort((a, b) => drawerRank(a.path) - drawerRank(b.path))
}
