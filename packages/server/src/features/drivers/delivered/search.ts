import type { LibraryCategory, LibraryEntry, LibraryState } from '@leitstand/contract/driverLibrary'
import { foldFields, isFound, parseSearch } from '@leitstand/contract/search'

export interface LibraryFilter {
  search?: string | undefined
  manufacturers?: readonly string[] | undefined
  categories?: readonly LibraryCategory[] | undefined
  states?: readonly LibraryState[] | undefined
  orderBy: 'title' | '-title' | 'manufacturer' | '-manufacturer'
}

const order = new Intl.Collator('de', { numeric: true, sensitivity: 'base' })

/** The delivered drivers that match a filter, in order. Every word of the search must occur somewhere. */
export function searchLibrary(entries: readonly LibraryEntry[], filter: LibraryFilter): LibraryEntry[] {
  const search = parseSearch(filter.search)
  const direction = filter.orderBy.startsWith('-') ? -1 : 1
  const column = filter.orderBy.endsWith('manufacturer') ? 'manufacturer' : 'title'
  return entries
    .filter((entry) => {
      const { title, manufacturer, model, description } = entry
      return (
        isFound(search, foldFields(title, manufacturer, model, description.de, description.en)) &&
        (filter.manufacturers?.includes(entry.manufacturer) ?? true) &&
        (filter.categories?.includes(entry.category) ?? true) &&
        (filter.states?.includes(entry.state) ?? true)
      )
    })
    .sort((a, b) => direction * (order.compare(a[column], b[column]) || order.compare(a.title, b.title)))
}

/** Number of entries by state. */
export function countStates(entries: readonly LibraryEntry[]): Record<LibraryState, number> {
  const counts = { available: 0, updatable: 0, current: 0 }
  for (const { state } of entries) counts[state]++
  return counts
}
