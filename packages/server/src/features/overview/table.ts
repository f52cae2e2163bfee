import type { JsonValue } from '@leitstand/contract/common'
import {
  type OverviewFileColumn,
  type OverviewState,
  overviewFileColumns,
} from '@leitstand/contract/overview'
import {
  type ListColumn,
  listTable,
  type Table,
  type TableCell,
  type TableColumn,
} from '../../platform/tableFiles/index.ts'

type Language = 'de' | 'en'

const categoryWords: Record<Language, Record<OverviewState['category'], string>> = {
  de: { digitalTwin: 'Digitaler Zwilling', virtualDevice: 'Virtuelles Gerät' },
  en: { digitalTwin: 'Digital twin', virtualDevice: 'Virtual device' },
}

const cellOf = (value: JsonValue): TableCell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

/** Headings in both languages, and the cell. */
const columns: Record<OverviewFileColumn, ListColumn<OverviewState>> = {
  id: ['ID', 'ID', ({ id }) => id],
  title: ['Datenpunkt', 'State', ({ title }) => title],
  key: ['Schlüssel', 'Key', ({ key }) => key],
  value: ['Wert', 'Value', ({ value }) => cellOf(value)],
  unit: ['Einheit', 'Unit', ({ unit }) => unit],
  time: ['Zeit (UTC)', 'Time (UTC)', ({ time }) => (time === null ? null : new Date(time))],
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

const types: Partial<Record<OverviewFileColumn, TableColumn<OverviewState>['type']>> = {
  id: 'id',
  value: 'value',
  time: 'time',
  latitude: 'number',
  longitude: 'number',
}

/**
 * States as a file, in the order of the ids.
 * @param ids `rowsMax` + 1 ids if there are more states than `rowsMax`
 */
export function stateTable(
  load: (ids: readonly number[]) => Promise<OverviewState[]>,
  ids: readonly number[],
  options: { language: Language; rowsMax: number; wanted?: readonly OverviewFileColumn[] | undefined },
): Table<OverviewState> {
  const { language, rowsMax, wanted = overviewFileColumns } = options
  return listTable({
    title: { de: 'Datenpunkte', en: 'States' },
    columns,
    types,
    wanted,
    language,
    ids,
    rowsMax,
    load,
    cut,
  })
}
