import {
  type DeviceFileColumn,
  deviceFileColumns,
  type VirtualDeviceSummary,
} from '@leitstand/contract/virtualdevices'
import type { Executor } from '../../../platform/db/index.ts'
import {
  type ListColumn,
  listTable,
  type Table,
  type TableColumn,
} from '../../../platform/tableFiles/index.ts'
import type { ScopesByCategory } from '../../twins/index.ts'
import { loadDeviceSummaries } from '../store/list.ts'

type Language = 'de' | 'en'

const healthWords: Record<Language, readonly string[]> = {
  de: ['In Ordnung', 'Warnung', 'Fehler', 'Unbekannt', 'Ungültig'],
  en: ['OK', 'Warning', 'Error', 'Unknown', 'Invalid'],
}

const statusWords: Record<Language, readonly string[]> = {
  de: ['Nicht gesetzt', 'Unterwegs', 'Betriebsbereit', 'In Betrieb', 'Vorübergehend inaktiv', 'Stillgelegt'],
  en: [
    'Not set',
    'In transit',
    'Ready for operation',
    'In operation',
    'Temporarily inactive',
    'Decommissioned',
  ],
}

const yesNo: Record<Language, readonly [no: string, yes: string]> = { de: ['nein', 'ja'], en: ['no', 'yes'] }

const pairs = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([name, value]) => `${name}=${value}`).join(', ')

const timeOf = (time: string | null) => (time === null ? null : new Date(time))

/** Headings in both languages, and the cell. */
const columns: Record<DeviceFileColumn, ListColumn<VirtualDeviceSummary>> = {
  id: ['ID', 'ID', ({ id }) => id],
  title: ['Titel', 'Title', ({ title }) => title],
  externalId: ['Kennung', 'Identifier', ({ externalId }) => externalId],
  account: ['Account', 'Account', ({ accountName }) => accountName],
  connector: ['Konnektor', 'Connector', ({ connectorName }) => connectorName],
  bridgeType: ['Konnektortyp', 'Connector type', ({ connectorKind }) => connectorKind],
  driver: ['Treiber', 'Driver', ({ driverTitle }) => driverTitle],
  template: ['Gerätevorlage', 'Device template', ({ templateTitle }) => templateTitle],
  operationalStatus: [
    'Betriebsstatus',
    'Operational status',
    ({ operationalStatus }, language) => statusWords[language][operationalStatus] ?? operationalStatus,
  ],
  health: ['Zustand', 'Health', ({ health }, language) => healthWords[language][health] ?? health],
  lastSeen: ['Zuletzt gesehen (UTC)', 'Last seen (UTC)', ({ lastSeen }) => timeOf(lastSeen)],
  disabled: [
    'Deaktiviert',
    'Disabled',
    ({ disabled }, language) => (disabled ? yesNo[language][1] : yesNo[language][0]),
  ],
  parent: ['Übergeordneter Zwilling', 'Parent twin', ({ parentTitle }) => parentTitle],
  groups: ['Gruppen', 'Groups', ({ groups }) => groups.join(', ')],
  tags: ['Tags', 'Tags', ({ tags }) => tags.join(', ')],
  zones: ['Zonen', 'Zones', ({ zones }) => zones.join(', ')],
  address: ['Adresse', 'Address', ({ address }) => address ?? null],
  floorNumber: ['Etage', 'Floor', ({ floorNumber }) => floorNumber ?? null],
  latitude: ['Breite', 'Latitude', ({ latitude }) => latitude],
  longitude: ['Länge', 'Longitude', ({ longitude }) => longitude],
  referenceIds: [
    'Referenz-IDs',
    'Reference IDs',
    ({ referenceIds }) => pairs((referenceIds ?? []).map(({ name, value }) => [name, value])),
  ],
  keyValues: ['Eigenschaften', 'Properties', ({ keyValues }) => pairs(Object.entries(keyValues ?? {}))],
  description: ['Beschreibung', 'Description', ({ description }) => description ?? null],
  createdAt: ['Angelegt (UTC)', 'Created (UTC)', ({ createdAt }) => timeOf(createdAt)],
  updatedAt: ['Geändert (UTC)', 'Changed (UTC)', ({ updatedAt }) => timeOf(updatedAt)],
}

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Geräten gekürzt. Grenzen Sie die Liste ein.`,
  en: (rows) => `Cut after ${rows} devices. Narrow the list.`,
}

const types: Partial<Record<DeviceFileColumn, TableColumn<VirtualDeviceSummary>['type']>> = {
  id: 'id',
  lastSeen: 'time',
  floorNumber: 'number',
  latitude: 'number',
  longitude: 'number',
  createdAt: 'time',
  updatedAt: 'time',
}

/**
 * Devices as a file, in the order of the ids.
 * @param ids `rowsMax` + 1 ids if there are more devices than `rowsMax`
 */
export function deviceTable(
  db: Executor,
  scopes: ScopesByCategory,
  ids: readonly number[],
  options: { language: Language; rowsMax: number; wanted?: readonly DeviceFileColumn[] | undefined },
): Table<VirtualDeviceSummary> {
  const { language, rowsMax, wanted = deviceFileColumns } = options
  const includes = {
    identifiers: wanted.includes('referenceIds'),
    properties: wanted.some((key) => ['keyValues', 'description', 'address', 'floorNumber'].includes(key)),
  }
  return listTable({
    title: { de: 'Geräte', en: 'Devices' },
    columns,
    types,
    wanted,
    language,
    ids,
    rowsMax,
    load: (part) => loadDeviceSummaries(db, scopes.virtualDevice, scopes.digitalTwin, part, includes),
    cut,
  })
}
