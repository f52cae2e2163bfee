import type { ImportSettings, ImportTarget } from '@leitstand/contract/bulk'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { CellFault } from '@leitstand/contract/jobs'
import { virtualdevice } from '@leitstand/contract/virtualdevices'
import type * as z from 'zod'
import { RowReader, suggestFrom } from './cells.ts'

const Input = virtualdevice.create['~orpc'].inputSchema
if (Input === undefined) throw new Error('creating a device takes nothing')
const DeviceInput = Input.omit({ connectorId: true, templateId: true })
export type DeviceInput = z.infer<typeof DeviceInput>

/** References to driver and parent by id or title, in lower case. Null: none. */
export interface Named {
  driver: string | null
  parent: string | null
}

export interface ReadRow {
  /** undefined with faults */
  input: DeviceInput | undefined
  named: Named
  title: string
  faults: CellFault[]
}

/** Common column titles by field, without blanks and punctuation. */
const known: Record<ImportTarget, readonly string[]> = {
  externalId: [
    'externalid',
    'externeid',
    'kennung',
    'identifier',
    'deveui',
    'deviceeui',
    'eui',
    'deviceid',
    'geräteid',
  ],
  title: ['title', 'titel', 'name', 'bezeichnung', 'gerät', 'device'],
  description: ['description', 'beschreibung'],
  driver: ['driver', 'treiber', 'devicedriver', 'gerätetreiber'],
  operationalStatus: ['operationalstatus', 'betriebsstatus', 'status'],
  parent: ['parent', 'übergeordnet', 'übergeordneterzwilling', 'parentid', 'twin', 'zwilling'],
  tags: ['tags', 'tag', 'schlagworte'],
  zones: ['zones', 'zone', 'zonen'],
  groups: ['groups', 'group', 'gruppen', 'gruppe'],
  address: ['address', 'adresse', 'anschrift'],
  latitude: ['latitude', 'lat', 'breite', 'breitengrad'],
  longitude: ['longitude', 'lon', 'lng', 'länge', 'längengrad'],
  floorNumber: ['floor', 'floornumber', 'stockwerk', 'etage'],
  keyValue: [],
  referenceId: [],
}

/** Guesses the fields of columns; each field once, for the first matching column. */
export const suggestTargets = (header: readonly string[]): (ImportTarget | null)[] =>
  suggestFrom(header, known)

/** Words for the operational status in both languages; its code is also accepted. */
const statusWords: readonly (readonly string[])[] = [
  ['not set', 'unset', 'nicht gesetzt'],
  ['in transit', 'unterwegs', 'im transport'],
  ['ready for operation', 'betriebsbereit'],
  ['in operation', 'in betrieb'],
  ['temporarily inactive', 'vorübergehend inaktiv'],
  ['decommissioned', 'außer betrieb', 'stillgelegt'],
]

/**
 * Parses a row as the input of a new device, with its faults; drivers and parents are not resolved yet.
 * Empty cells use the settings.
 */
export function readRow(
  cells: readonly string[],
  header: readonly string[],
  settings: ImportSettings,
): ReadRow {
  const row = new RowReader(cells, header, settings.columns)
  const status = () => {
    const cell = row.cell('operationalStatus').toLowerCase()
    if (cell === '') return settings.operationalStatus
    const code = /^[0-5]$/.test(cell) ? Number(cell) : statusWords.findIndex((words) => words.includes(cell))
    if (code >= 0) return code
    row.fault('STATUS_UNKNOWN', 'operationalStatus')
    return 0
  }
  const position = row.position()
  const raw = {
    externalId: row.cell('externalId'),
    title: row.cell('title'),
    description: row.cell('description'),
    operationalStatus: status(),
    tags: [...new Set([...settings.tags, ...row.words('tags')])],
    zones: row.words('zones'),
    groups: [...new Set([...settings.groups, ...row.words('groups')])],
    address: row.cell('address'),
    ...position,
    floorNumber: row.number('floorNumber'),
    keyValues: Object.fromEntries(row.pairs('keyValue').map(({ name, value }) => [name, value])),
    referenceIds: row.pairs('referenceId').map(({ name, value }) => ({ name, value })),
    driverId: settings.driverId,
    driverVersion: settings.driverVersion,
    parentId: settings.parentId,
  }
  const parsed = DeviceInput.safeParse(raw)
  row.addIssues(parsed.error?.issues)
  const faults = row.sortedFaults()
  return {
    input: faults.length === 0 ? parsed.data : undefined,
    named: {
      driver: row.cell('driver').toLowerCase() || null,
      parent: row.cell('parent').toLowerCase() || null,
    },
    title: raw.title.slice(0, 200) || raw.externalId.slice(0, 200),
    faults,
  }
}

/** Rows with the external id of an earlier row. */
export function doubled(rows: readonly ReadRow[]): Set<number> {
  const seen = new Set<string>()
  const again = new Set<number>()
  rows.forEach(({ input }, at) => {
    if (input === undefined) return
    const id = normaliseExternalId(input.externalId)
    if (seen.has(id)) again.add(at)
    seen.add(id)
  })
  return again
}
