import type { TwinColumn, TwinTarget, TwinUpload } from '@leitstand/contract/bulkDuplicate'
import { type ColumnChoice, type ColumnFields, toColumns } from '../../batches/pure.ts'

/** In the contract's order; listed here to avoid loading its schemas. */
export const twinFields: ColumnFields<TwinTarget> = {
  targets: [
    ...(['title', 'description', 'type', 'tags', 'zones', 'address', 'latitude', 'longitude'] as const),
    ...(['parent', 'keyValue', 'referenceId'] as const),
  ],
  needed: ['title'],
  formats: ['text', 'hex', 'eui'],
  hint: 'copies.byFile.columnsHint',
}

/** The server's suggested mapping. */
export function suggestedTwins({ columns }: Pick<TwinUpload, 'columns'>): ColumnChoice<TwinTarget>[] {
  return columns.map(({ target, name, format }) => ({ target: target ?? '', name, format }))
}

/** The mapped columns, as the API takes them. */
export function toTwinColumns(choices: readonly ColumnChoice<TwinTarget>[]): TwinColumn[] {
  return toColumns(choices).map((mapped) => ({
    ...mapped,
    format: mapped.name === undefined ? 'text' : (choices[mapped.column]?.format ?? 'text'),
  }))
}
