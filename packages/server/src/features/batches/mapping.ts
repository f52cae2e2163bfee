import {
  type ImportColumn,
  type ImportSettings,
  type ImportTarget,
  importTargets,
} from '@leitstand/contract/bulk'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { CellFault } from '@leitstand/contract/jobs'
import { virtualdevice } from '@leitstand/contract/virtualdevices'
import type * as z from 'zod'

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
export function suggestTargets(header: readonly string[]): (ImportTarget | null)[] {
  const taken = new Set<ImportTarget>()
  return header.map((title) => {
    const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
    const target = importTargets.find((each) => !taken.has(each) && known[each].includes(plain))
    if (target === undefined) return null
    taken.add(target)
    return target
  })
}

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
  const faults: CellFault[] = []
  const cellOf = (target: ImportTarget) => {
    const column = settings.columns.find((each) => each.target === target)
    return column === undefined ? '' : (cells[column.column] ?? '')
  }
  const fault = (code: string, target: ImportTarget) =>
    faults.push({ code, column: titleOf(header, settings.columns, target) })
  const number = (target: ImportTarget): number | null => {
    const cell = cellOf(target)
    if (cell === '') return null
    if (/^[+-]?\d+(?:[.,]\d+)?$/.test(cell)) return Number(cell.replace(',', '.'))
    fault('NO_NUMBER', target)
    return null
  }
  const status = () => {
    const cell = cellOf('operationalStatus').toLowerCase()
    if (cell === '') return settings.operationalStatus
    const code = /^[0-5]$/.test(cell) ? Number(cell) : statusWords.findIndex((words) => words.includes(cell))
    if (code >= 0) return code
    fault('STATUS_UNKNOWN', 'operationalStatus')
    return 0
  }
  const latitude = number('latitude')
  const longitude = number('longitude')
  const hasBoth = (latitude === null) === (longitude === null)
  if (!hasBoth && faults.length === 0)
    fault('POSITION_INCOMPLETE', latitude === null ? 'latitude' : 'longitude')
  const raw = {
    externalId: cellOf('externalId'),
    title: cellOf('title'),
    description: cellOf('description'),
    operationalStatus: status(),
    tags: [...new Set([...settings.tags, ...listOf(cellOf('tags'))])],
    zones: [...new Set(listOf(cellOf('zones')))],
    groups: [...new Set([...settings.groups, ...listOf(cellOf('groups'))])],
    address: cellOf('address'),
    latitude,
    longitude,
    floorNumber: number('floorNumber'),
    keyValues: Object.fromEntries(pairs(cells, settings, 'keyValue')),
    referenceIds: pairs(cells, settings, 'referenceId').map(([name, value]) => ({ name, value })),
    driverId: settings.driverId,
    driverVersion: settings.driverVersion,
    parentId: settings.parentId,
  }
  const parsed = DeviceInput.safeParse(raw)
  for (const issue of parsed.error?.issues ?? []) faults.push(faultOf(issue, header, settings, cells))
  return {
    input: faults.length === 0 ? parsed.data : undefined,
    named: {
      driver: cellOf('driver').toLowerCase() || null,
      parent: cellOf('parent').toLowerCase() || null,
    },
    title: raw.title.slice(0, 200) || raw.externalId.slice(0, 200),
    faults: onceEach(faults).sort((a, b) => placeOf(header, a) - placeOf(header, b)),
  }
}

/** The title of the column a field is read from. */
export function titleOf(
  header: readonly string[],
  columns: readonly ImportColumn[],
  target: ImportTarget,
): string | null {
  const column = columns.find((each) => each.target === target)
  return column === undefined ? null : (header[column.column] ?? null)
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

function listOf(cell: string): string[] {
  return cell
    .split(/[,;|\n]/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

/** Named values of a row, without empty ones. */
function pairs(
  cells: readonly string[],
  { columns }: ImportSettings,
  target: ImportTarget,
): [string, string][] {
  return columns.flatMap(({ column, name, ...each }) => {
    const value = cells[column] ?? ''
    return each.target === target && name !== undefined && value !== '' ? [[name, value]] : []
  })
}

type Issue = z.core.$ZodIssue

/** A validation issue of the contract as a fault of its column. */
function faultOf(
  issue: Issue,
  header: readonly string[],
  settings: ImportSettings,
  cells: readonly string[],
): CellFault {
  const [field, key] = issue.path
  const target = fieldTargets[String(field)] ?? (String(field) as ImportTarget)
  const entry = target === 'keyValue' || target === 'referenceId' ? nameOf(field, key, settings, cells) : null
  const column = entry ?? titleOf(header, settings.columns, target)
  return { code: codeOf(issue), column }
}

const fieldTargets: Readonly<Record<string, ImportTarget>> = {
  keyValues: 'keyValue',
  referenceIds: 'referenceId',
}

function nameOf(
  field: PropertyKey | undefined,
  key: PropertyKey | undefined,
  settings: ImportSettings,
  cells: readonly string[],
): string | null {
  if (field === 'keyValues') return typeof key === 'string' ? key : null
  return pairs(cells, settings, 'referenceId')[Number(key)]?.[0] ?? null
}

function codeOf(issue: Issue): string {
  if (issue.code === 'too_small') return issue.origin === 'string' ? 'REQUIRED' : 'OUT_OF_RANGE'
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return 'TOO_LONG'
    return issue.origin === 'array' ? 'TOO_MANY' : 'OUT_OF_RANGE'
  }
  if (issue.code === 'invalid_type') return issue.expected === 'int' ? 'NO_WHOLE_NUMBER' : 'NO_NUMBER'
  return 'INVALID'
}

const placeOf = (header: readonly string[], { column }: CellFault) => header.indexOf(column ?? '')

function onceEach(faults: readonly CellFault[]): CellFault[] {
  return [...new Map(faults.map((fault) => [`${fault.code} ${fault.column}`, fault])).values()]
}
