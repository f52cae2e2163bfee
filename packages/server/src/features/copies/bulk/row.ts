import type { CellFormat, TwinColumn, TwinTarget } from '@leitstand/contract/bulkDuplicate'
import { isEui64, normaliseExternalId } from '@leitstand/contract/identifiers'
import type { CellFault } from '@leitstand/contract/jobs'
import { ObjectFields, type ReferenceId, TwinType, twinTypes } from '@leitstand/contract/twins'
import * as z from 'zod'
import { RowReader, suggestFrom } from '../../batches/index.ts'
import type { ObjectRow } from '../../twins/index.ts'
import type { CopyChanges } from '../copy.ts'
import { movedPolygon } from '../movedPolygon.ts'

/** What a copy takes from the twin it is made from. */
export type RowTemplate = Pick<
  ObjectRow,
  'type' | 'latitude' | 'longitude' | 'geoPolygon' | 'keyValues' | 'referenceIds'
>

export interface TwinRow {
  title: string
  /** undefined with faults */
  changes: CopyChanges | undefined
  /** id or title of the parent, in lower case; null: that of all copies */
  parent: string | null
  faults: CellFault[]
}

const Fields = z.object({
  title: ObjectFields.title,
  description: ObjectFields.description,
  type: TwinType,
  tags: ObjectFields.tags,
  zones: ObjectFields.zones,
  address: ObjectFields.address,
  latitude: ObjectFields.latitude,
  longitude: ObjectFields.longitude,
  keyValues: ObjectFields.keyValues,
  referenceIds: ObjectFields.referenceIds,
})

/** Words for types in both languages; the name of the API is also accepted. */
const typeWords: Record<TwinType, readonly string[]> = {
  default: ['allgemein', 'general'],
  building: ['gebäude'],
  sensor: [],
  room: ['raum'],
  door: ['tür'],
  zone: [],
  floor: ['etage', 'stockwerk'],
  trackable: ['bewegliches objekt', 'movable object'],
}

/**
 * Reads a row as a copy of a twin, with its faults; its parent is not resolved yet. Empty cells keep what the twin has,
 * key-values and reference ids are added to its own.
 */
export function readTwinRow(
  cells: readonly string[],
  header: readonly string[],
  columns: readonly TwinColumn[],
  template: RowTemplate,
): TwinRow {
  const row = new RowReader(cells, header, columns)
  const given = row.position()
  const keyValues = formatted(row, 'keyValue')
  const references = formatted(row, 'referenceId')
  const isPlaced = given.latitude !== null
  const raw = {
    title: row.cell('title'),
    description: row.cell('description'),
    type: typeOf(row, template),
    tags: row.words('tags'),
    zones: row.words('zones'),
    address: row.cell('address'),
    ...given,
    keyValues: { ...template.keyValues, ...Object.fromEntries(keyValues) },
    referenceIds: withReferences(template.referenceIds, references),
  }
  const parsed = Fields.safeParse(raw)
  row.addIssues(parsed.error?.issues)
  const polygon = polygonOf(template, given)
  if (isPlaced && template.geoPolygon && polygon === null && row.faults.length === 0)
    row.fault('OUT_OF_RANGE', 'latitude')
  if (raw.type === 'zone' && template.geoPolygon === null) row.fault('ZONE_NEEDS_POLYGON', 'type')
  const faults = row.sortedFaults()
  const title = raw.title.slice(0, 200)
  const parent = row.cell('parent').toLowerCase() || null
  if (faults.length > 0 || !parsed.success) return { title, changes: undefined, parent, faults }
  const { data } = parsed
  return {
    title: data.title,
    parent,
    faults,
    changes: {
      type: data.type,
      keyValues: data.keyValues,
      referenceIds: data.referenceIds,
      ...(data.description === '' ? {} : { description: data.description }),
      ...(data.tags.length === 0 ? {} : { tags: data.tags }),
      ...(data.zones.length === 0 ? {} : { zones: data.zones }),
      ...(data.address === '' ? {} : { address: data.address }),
      ...(isPlaced ? { ...given, geoPolygon: polygon } : {}),
    },
  }
}

function typeOf(row: RowReader<TwinColumn>, template: RowTemplate): TwinType {
  const word = row.cell('type').toLowerCase()
  if (word === '') return template.type
  const type = twinTypes.find((each) => each === word || typeWords[each].includes(word))
  if (type === undefined) row.fault('TYPE_UNKNOWN', 'type')
  return type ?? template.type
}

/** The named values of a row in the format of their columns. */
function formatted(row: RowReader<TwinColumn>, target: 'keyValue' | 'referenceId'): [string, string][] {
  return row.pairs(target).map(({ name, value, column }) => {
    const text = inFormat(value, column.format)
    if (text === null)
      row.faults.push({
        code: column.format === 'eui' ? 'EUI_INVALID' : 'HEX_INVALID',
        column: row.titleOf(column),
      })
    return [name, text ?? value]
  })
}

/** A value as it is stored; null: it does not have the format. */
export function inFormat(value: string, format: CellFormat): string | null {
  if (format === 'text') return value
  if (format === 'eui') return isEui64(value) ? normaliseExternalId(value) : null
  return /^(?:[0-9a-f]{2})+$/i.test(value) ? value.toUpperCase() : null
}

/** The references of the twin; those that the row names are replaced. */
function withReferences(own: readonly ReferenceId[], given: readonly [string, string][]): ReferenceId[] {
  const names = new Set(given.map(([name]) => name))
  return [...own.filter(({ name }) => !names.has(name)), ...given.map(([name, value]) => ({ name, value }))]
}

function polygonOf(
  { geoPolygon, latitude, longitude }: RowTemplate,
  to: { latitude: number | null; longitude: number | null },
) {
  if (geoPolygon === null || latitude === null || longitude === null) return geoPolygon
  if (to.latitude === null || to.longitude === null) return geoPolygon
  return movedPolygon(geoPolygon, { latitude, longitude }, { latitude: to.latitude, longitude: to.longitude })
}

/** Common column titles by field, without blanks and punctuation. */
const known: Record<TwinTarget, readonly string[]> = {
  title: ['title', 'titel', 'name', 'bezeichnung', 'twin', 'zwilling'],
  description: ['description', 'beschreibung'],
  type: ['type', 'typ', 'art'],
  tags: ['tags', 'tag', 'schlagworte'],
  zones: ['zones', 'zone', 'zonen'],
  address: ['address', 'adresse', 'anschrift'],
  latitude: ['latitude', 'lat', 'breite', 'breitengrad'],
  longitude: ['longitude', 'lon', 'lng', 'länge', 'längengrad'],
  parent: ['parent', 'parenttwin', 'übergeordnet', 'übergeordneterzwilling', 'parentid'],
  keyValue: [],
  referenceId: [],
}

/** Titles that name a key or a reference id, as in the sample file: `Reference ID meter`. */
const namedTitles: readonly { target: TwinTarget; pattern: RegExp }[] = [
  { target: 'referenceId', pattern: /^(?:referenz-?id|reference id)[\s:]+(.+)$/i },
  { target: 'keyValue', pattern: /^(?:eigenschaft|property)[\s:]+(.+)$/i },
]

interface Suggestion {
  target: TwinTarget | null
  /** for key-values and reference ids */
  name: string
  format: CellFormat
}

/** Guesses the meaning of columns by their titles. */
export function suggestColumns(header: readonly string[]): Suggestion[] {
  const targets = suggestFrom(header, known)
  return header.map((title, at): Suggestion => {
    const format = /eui/i.test(title) ? 'eui' : /hex/i.test(title) ? 'hex' : 'text'
    for (const { target, pattern } of namedTitles) {
      const name = pattern.exec(title)?.[1]
      if (name !== undefined) return { target, name: name.slice(0, 100), format }
    }
    return { target: targets[at] ?? null, name: title.slice(0, 100), format }
  })
}
