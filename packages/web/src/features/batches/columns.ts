import type { BulkUpload, ImportColumn, ImportTarget } from '@leitstand/contract/bulk'

/** What a column of a file is mapped to; '' skips it. */
export interface ColumnChoice {
  target: ImportTarget | ''
  /** name of the key-value or reference id */
  name: string
}

/** Targets that need a name and can occur several times. */
export const namedTargets: readonly string[] = ['keyValue', 'referenceId']

/** In the contract's order; listed here to avoid loading its schemas. */
export const targets: readonly ImportTarget[] = [
  ...(['externalId', 'title', 'description', 'driver', 'operationalStatus', 'parent', 'tags'] as const),
  ...(['zones', 'groups', 'address', 'latitude', 'longitude', 'floorNumber', 'keyValue'] as const),
  'referenceId',
]

const needed: readonly ImportTarget[] = ['externalId', 'title']

/** The server's suggested mapping. */
export function suggested({ columns }: Pick<BulkUpload, 'columns'>): ColumnChoice[] {
  return columns.map(({ target, title }) => ({ target: target ?? '', name: title }))
}

/** The mapped columns, as the API takes them. */
export function toColumns(choices: readonly ColumnChoice[]): ImportColumn[] {
  return choices.flatMap(({ target, name }, column) => {
    if (target === '') return []
    return namedTargets.includes(target) ? [{ column, target, name: name.trim() }] : [{ column, target }]
  })
}

export type ColumnFault =
  | { key: 'missing'; fields: ImportTarget[] }
  | { key: 'twice' }
  | { key: 'nameMissing' }

/** What is wrong with a column mapping; null: nothing. */
export function columnFault(choices: readonly ColumnChoice[]): ColumnFault | null {
  const columns = toColumns(choices)
  const fields = needed.filter((target) => !columns.some((each) => each.target === target))
  if (fields.length > 0) return { key: 'missing', fields }
  if (columns.some(({ target, name }) => namedTargets.includes(target) && name === ''))
    return { key: 'nameMissing' }
  const seen = columns.map(({ target, name }) => `${target} ${name ?? ''}`)
  return new Set(seen).size < seen.length ? { key: 'twice' } : null
}
