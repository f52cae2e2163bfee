import type { JsonValue } from '@leitstand/contract/common'
import { type OverviewCsvColumn, type OverviewState, overviewCsvColumns } from '@leitstand/contract/overview'
import { byteOrderMark, csvLine, separatorOf } from '../../platform/csv.ts'
import { type XlsxCell, xlsxFile } from '../../platform/xlsx.ts'

type Language = 'de' | 'en'

const pageSize = 500

const categoryWords: Record<Language, Record<OverviewState['category'], string>> = {
  de: { digitalTwin: 'Digitaler Zwilling', virtualDevice: 'Virtuelles Gerät' },
  en: { digitalTwin: 'Digital twin', virtualDevice: 'Virtual device' },
}

type Cell = string | number | boolean | null

const cellOf = (value: JsonValue): Cell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

/** Headings in both languages, and the cell. */
const columns: Record<
  OverviewCsvColumn,
  readonly [de: string, en: string, cell: (state: OverviewState, language: Language) => Cell]
> = {
  id: ['ID', 'ID', ({ id }) => id],
  title: ['Datenpunkt', 'State', ({ title }) => title],
  key: ['Schlüssel', 'Key', ({ key }) => key],
  value: ['Wert', 'Value', ({ value }) => cellOf(value)],
  unit: ['Einheit', 'Unit', ({ unit }) => unit],
  time: ['Zeit (UTC)', 'Time (UTC)', ({ time }) => time],
  twin: ['Zwilling oder Gerät', 'Twin or device', ({ twinTitle }) => twinTitle],
  category: ['Art', 'Kind', ({ category }, language) => categoryWords[language][category]],
  account: ['Account', 'Account', ({ accountName }) => accountName],
  type: ['Werttyp', 'Value type', ({ valueType }) => valueType],
  source: ['Quelle', 'Source', ({ source }) => source],
  sourceIdentifier: ['Kennung der Quelle', 'Source identifier', ({ sourceIdentifier }) => sourceIdentifier],
  variable: ['Variable', 'Variable', ({ parserVariable }) => parserVariable],
  driver: ['Treiber', 'Driver', ({ driverTitle }) => driverTitle],
  groups: ['Gruppen', 'Groups', ({ groups }) => groups.join(', ')],
  tags: ['Tags', 'Tags', ({ tags }) => tags.join(', ')],
  latitude: ['Breite', 'Latitude', ({ latitude }) => latitude],
  longitude: ['Länge', 'Longitude', ({ longitude }) => longitude],
}

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Datenpunkten gekürzt. Grenzen Sie die Liste ein.`,
  en: (rows) => `Cut after ${rows} states. Narrow the list.`,
}

interface FileOptions {
  language: Language
  rowsMax: number
  /** default: all columns */
  wanted?: readonly OverviewCsvColumn[] | undefined
}

type Load = (ids: readonly number[]) => Promise<OverviewState[]>

const headerOf = ({ language, wanted = overviewCsvColumns }: FileOptions): string[] =>
  wanted.map((key) => columns[key][language === 'de' ? 0 : 1])

/**
 * States in the order of the ids, loaded in batches as the consumer takes them. States deleted meanwhile are left out.
 * @param ids `rowsMax` + 1 ids if there are more states than `rowsMax`
 */
async function* pagesOf(
  load: Load,
  ids: readonly number[],
  rowsMax: number,
): AsyncGenerator<OverviewState[]> {
  for (let from = 0; from < Math.min(ids.length, rowsMax); from += pageSize)
    yield await load(ids.slice(from, Math.min(from + pageSize, rowsMax)))
}

/** CSV lines of states. */
export async function* csvLines(
  load: Load,
  ids: readonly number[],
  options: FileOptions,
): AsyncGenerator<string> {
  const { language, rowsMax, wanted = overviewCsvColumns } = options
  const separator = separatorOf(language)
  yield byteOrderMark + csvLine(headerOf(options), separator)
  for await (const states of pagesOf(load, ids, rowsMax))
    yield states
      .map((state) =>
        csvLine(
          wanted.map((key) => {
            const cell = columns[key][2](state, language)
            return typeof cell === 'boolean' ? String(cell) : cell
          }),
          separator,
        ),
      )
      .join('')
  if (ids.length > rowsMax) yield csvLine([cut[language](rowsMax)], separator)
}

/** The same as an XLSX file, with real times and numbers. */
export function xlsxPieces(
  load: Load,
  ids: readonly number[],
  options: FileOptions & { sheet: string },
): AsyncGenerator<Uint8Array> {
  const { language, rowsMax, wanted = overviewCsvColumns, sheet } = options
  async function* rows(): AsyncGenerator<XlsxCell[][]> {
    for await (const states of pagesOf(load, ids, rowsMax))
      yield states.map((state) => wanted.map((key) => xlsxCell(key, columns[key][2](state, language))))
    if (ids.length > rowsMax) yield [[cut[language](rowsMax)]]
  }
  const widths = wanted.map((key) => (wideColumns.includes(key) ? 30 : 16))
  return xlsxFile({ sheet, header: headerOf(options), widths }, rows())
}

const wideColumns: readonly OverviewCsvColumn[] = ['title', 'twin', 'driver', 'tags', 'time']

const xlsxCell = (key: OverviewCsvColumn, cell: Cell): XlsxCell =>
  key === 'time' && typeof cell === 'string' ? { wallMs: Date.parse(cell) } : cell
