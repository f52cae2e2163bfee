import type { JsonValue } from '@leitstand/contract/common'
import { type OverviewCsvColumn, type OverviewState, overviewCsvColumns } from '@leitstand/contract/overview'
import { byteOrderMark, type CsvCell, csvLine, separatorOf } from '../../platform/csv.ts'

type Language = 'de' | 'en'

const pageSize = 500

const categoryWords: Record<Language, Record<OverviewState['category'], string>> = {
  de: { digitalTwin: 'Digitaler Zwilling', virtualDevice: 'Virtuelles Gerät' },
  en: { digitalTwin: 'Digital twin', virtualDevice: 'Virtual device' },
}

const cellOf = (value: JsonValue): CsvCell =>
  typeof value === 'number' || typeof value === 'string'
    ? value
    : value === null
      ? null
      : JSON.stringify(value)

/** Headings in both languages, and the cell. */
const columns: Record<
  OverviewCsvColumn,
  readonly [de: string, en: string, cell: (state: OverviewState, language: Language) => CsvCell]
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

/**
 * CSV lines of states, in the order of the ids, loaded in batches. States deleted meanwhile are left out.
 * @param ids `rowsMax` + 1 ids if there are more states than `rowsMax`
 */
export async function* csvLines(
  load: (ids: readonly number[]) => Promise<OverviewState[]>,
  ids: readonly number[],
  options: { language: Language; rowsMax: number; wanted?: readonly OverviewCsvColumn[] | undefined },
): AsyncGenerator<string> {
  const { language, rowsMax, wanted = overviewCsvColumns } = options
  const separator = separatorOf(language)
  yield byteOrderMark +
    csvLine(
      wanted.map((key) => columns[key][language === 'de' ? 0 : 1]),
      separator,
    )
  for (let from = 0; from < Math.min(ids.length, rowsMax); from += pageSize) {
    const states = await load(ids.slice(from, Math.min(from + pageSize, rowsMax)))
    yield states
      .map((state) =>
        csvLine(
          wanted.map((key) => columns[key][2](state, language)),
          separator,
        ),
      )
      .join('')
  }
  if (ids.length > rowsMax) yield csvLine([cut[language](rowsMax)], separator)
}
