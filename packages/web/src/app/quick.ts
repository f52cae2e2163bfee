import { thingsOf, type Visit } from './visitList.ts'

/** One of the entries on top of the drawer. */
export interface QuickEntry {
  path: string
  title: string
  favorite: boolean
}

/** With more, the drawer of an administrator would not fit 900 px of height. */
const quickMax = 3
/** Some room is left for what was opened lately. */
const favoritesMax = 2

/** Favourites, then what was opened lately, each page once. */
export function quickEntries(
  favorites: readonly { path: string; title: string }[],
  visits: readonly Visit[],
  userId: number,
  shown: string,
): QuickEntry[] {
  const first = favorites.slice(0, favoritesMax).map((each) => ({ ...each, favorite: true }))
  const recent = thingsOf(visits, userId, shown)
    .filter(({ path }) => first.every((favorite) => favorite.path !== path))
    .map(({ path, title }) => ({ path, title, favorite: false }))
  return [...first, ...recent].slice(0, quickMax)
}
