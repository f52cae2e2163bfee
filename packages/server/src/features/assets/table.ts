import { type Asset, assetLimits } from '@leitstand/contract/assets'
import type { Executor } from '../../platform/db/index.ts'
import type { Table, TableColumn } from '../../platform/tableFiles/index.ts'
import type { AssetSight } from './policy.ts'
import { type AssetFilter, type AssetOrder, listAssets } from './store.ts'

type Language = 'de' | 'en'
type Cell = ReturnType<TableColumn<Asset>['cell']>

const pageSize = 500

const places = {
  home: { de: 'Am Platz', en: 'In its zone' },
  away: { de: 'Woanders', en: 'Elsewhere' },
  lent: { de: 'Verliehen', en: 'Lent' },
  loose: { de: 'Ohne Heimatzone', en: 'No home zone' },
} as const

const time = (text: string | null): Date | null => (text === null ? null : new Date(text))

const columns: readonly (readonly [
  name: string,
  de: string,
  en: string,
  type: TableColumn<Asset>['type'],
  cell: (asset: Asset, language: Language) => Cell,
])[] = [
  ['title', 'Name', 'Name', 'text', ({ title }) => title],
  ['category', 'Kategorie', 'Category', 'text', ({ category }) => category],
  ['number', 'Inventarnummer', 'Inventory number', 'text', ({ inventoryNumber }) => inventoryNumber],
  ['place', 'Status', 'Status', 'text', ({ place }, language) => places[place][language]],
  ['zone', 'Zone', 'Zone', 'text', ({ zone }) => zone?.title ?? null],
  ['since', 'Dort seit (UTC)', 'There since (UTC)', 'time', ({ zoneSince }) => time(zoneSince)],
  ['home', 'Heimatzone', 'Home zone', 'text', ({ homeZone }) => homeZone?.title ?? null],
  ['seen', 'Letzte Position (UTC)', 'Last position (UTC)', 'time', ({ seenAt }) => time(seenAt)],
  ['latitude', 'Breite', 'Latitude', 'number', ({ position }) => position?.latitude ?? null],
  ['longitude', 'Länge', 'Longitude', 'number', ({ position }) => position?.longitude ?? null],
  ['tracker', 'Tracker', 'Tracker', 'text', ({ tracker }) => tracker?.title ?? null],
  ['borrower', 'Verliehen an', 'Lent to', 'text', ({ loan }) => loan?.borrower ?? null],
  ['due', 'Zurück bis', 'Back by', 'text', ({ loan }) => loan?.dueAt ?? null],
  ['account', 'Account', 'Account', 'text', ({ accountName }) => accountName],
]

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Assets gekürzt. Grenzen Sie die Auswahl ein.`,
  en: (rows) => `Cut after ${rows} assets. Narrow the selection.`,
}

/** The visible assets as a file, read page by page as the consumer pulls them. */
export function assetTable(
  db: Executor,
  sight: AssetSight,
  filter: AssetFilter,
  { orderBy, language, isCut }: { orderBy: AssetOrder; language: Language; isCut: boolean },
): Table<Asset> {
  async function* pages() {
    for (let offset = 0; offset < assetLimits.fileRowsMax; offset += pageSize) {
      const limit = Math.min(pageSize, assetLimits.fileRowsMax - offset)
      const found = await listAssets(db, sight, filter, { orderBy, offset, limit })
      yield found
      if (found.length < limit) return
    }
  }
  return {
    title: 'Assets',
    columns: columns.map(([name, de, en, type, cell]) => ({
      name,
      title: language === 'de' ? de : en,
      type,
      cell: (asset: Asset) => cell(asset, language),
    })),
    language,
    pages: pages(),
    cut: isCut ? cut[language](assetLimits.fileRowsMax) : null,
  }
}
