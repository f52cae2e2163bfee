import type { BulkUpload, ImportTarget } from '@leitstand/contract/bulk'
import type { CellFormat } from '@leitstand/contract/bulkDuplicate'

/** What a column of a file is mapped to; '' skips it. */
export interface ColumnChoice<Target extends string = ImportTarget> {
  target: Target | ''
  /** name of the key-value or reference id */
  name: string
  /** how these are written, where that can be chosen */
  format?: CellFormat
}

/** The fields that columns of a file can be mapped to. */
export interface ColumnFields<Target extends string> {
  targets: readonly Target[]
  /** those that must have a column */
  needed: readonly Target[]
  /** formats to choose from for key-values and reference ids */
  formats?: readonly CellFormat[]
  /** key of the text below the heading */
  hint: string
}

/** Targets that need a name and can occur several times. */
export const namedTargets: readonly string[] = ['keyValue', 'referenceId']

/** In the contract's order; listed here to avoid loading its schemas. */
export const targets: readonly ImportTarget[] = [
  ...(['externalId', 'title', 'description', 'driver', 'operationalStatus', 'parent', 'tags'] as const),
  ...(['zones', 'groups', 'address', 'latitude', 'longitude', 'floorNumber', 'keyValue'] as const),
  'referenceId',
]

export const deviceFields: ColumnFields<ImportTarget> = {
  targets,
  needed: ['externalId', 'title'],
  hint: 'bulk.import.columnsHint',
}

/** The server's suggested mapping. */
export function suggested({ columns }: Pick<BulkUpload, 'columns'>): ColumnChoice[] {
  return columns.map(({ target, title }) => ({ target: target ?? '', name: title }))
}

interface MappedColumn<Target extends string> {
  column: number
  target: Target
  name?: string
}

/** The mapped columns, as the API takes them. */
export function toColumns<Target extends string>(
  choices: readonly ColumnChoice<Target>[],
): MappedColumn<Target>[] {
  return choices.flatMap(({ target, name }, column) => {
    if (target === '') return []
    return namedTargets.includes(target) ? [{ column, target, name: name.trim() }] : [{ column, target }]
  })
}

export type ColumnFault<Target extends string> =
  | { key: 'missing'; fields: Target[] }
  | { key: 'twice' }
  | { key: 'nameMissing' }

/** What is wrong with a column mapping; null: nothing. */
export function columnFault<Target extends string>(
  choices: readonly ColumnChoice<Target>[],
  { needed }: Pick<ColumnFields<Target>, 'needed'>,
): ColumnFault<Target> | null {
  const columns = toColumns(choices)
  const fields = needed.filter((target) => !columns.some((each) => each.target === target))
  if (fields.length > 0) return { key: 'missing', fields }
  if (columns.some(({ target, name }) => namedTargets.includes(target) && name === ''))
    return { key: 'nameMissing' }
  const seen = columns.map(({ target, name }) => `${target} ${name ?? ''}`)
  return new Set(seen).size < seen.length ? { key: 'twice' } : null
}
