import type { CellType, Table, TableCell } from './types.ts'

const pageSize = 500

type Language = Table<unknown>['language']

/** A column of a list: its titles in both languages, and its cell. */
export type ListColumn<Row> = readonly [
  de: string,
  en: string,
  cell: (row: Row, language: Language) => TableCell,
]

interface ListOptions<Name extends string, Row> {
  /** of the sheet */
  title: Record<Language, string>
  columns: Readonly<Record<Name, ListColumn<Row>>>
  /** of columns that do not hold texts */
  types: Readonly<Partial<Record<Name, CellType>>>
  /** the columns in their order */
  wanted: readonly Name[]
  language: Language
  /** `rowsMax` + 1 ids if there are more rows than `rowsMax` */
  ids: readonly number[]
  rowsMax: number
  /** Reads rows in the order of their ids. What was deleted meanwhile is left out. */
  load(ids: readonly number[]): Promise<readonly Row[]>
  cut: Record<Language, (rows: number) => string>
}

/** A list whose ids are known as a table: rows are read in batches, as the file is taken. */
export function listTable<Name extends string, Row>(options: ListOptions<Name, Row>): Table<Row> {
  const { title, columns, types, wanted, language, ids, rowsMax, load, cut } = options
  async function* pages() {
    for (let from = 0; from < Math.min(ids.length, rowsMax); from += pageSize)
      yield await load(ids.slice(from, Math.min(from + pageSize, rowsMax)))
  }
  return {
    title: title[language],
    columns: wanted.map((name) => {
      const [de, en, cell] = columns[name]
      return {
        name,
        title: { de, en }[language],
        type: types[name] ?? 'text',
        cell: (row) => cell(row, language),
      }
    }),
    language,
    pages: pages(),
    cut: ids.length > rowsMax ? cut[language](rowsMax) : null,
  }
}
