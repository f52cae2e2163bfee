import type { Twin } from '@leitstand/contract/twins'
import type { CsvCell } from '../../../ui/list/csv.ts'

type Template = Pick<
  Twin,
  | 'title'
  | 'description'
  | 'type'
  | 'tags'
  | 'zones'
  | 'address'
  | 'latitude'
  | 'longitude'
  | 'parentId'
  | 'keyValues'
  | 'referenceIds'
>

/** Rows of a sample file. */
const copies = [1, 2]

/**
 * A file with two copies of a twin, to be completed in a spreadsheet. Its column titles are known when it is uploaded.
 * @param labelOf the title of a column
 * @param typeOf the name of a type
 */
export function sampleOf(
  twin: Template,
  labelOf: (column: string) => string,
  typeOf: (type: Twin['type']) => string,
): { header: string[]; rows: CsvCell[][] } {
  const keys = Object.keys(twin.keyValues)
  const names = [...new Set(twin.referenceIds.map(({ name }) => name))]
  const header = [
    ...['title', 'description', 'type', 'tags', 'zones', 'address', 'latitude', 'longitude', 'parent'].map(
      labelOf,
    ),
    ...keys.map((key) => `${labelOf('keyValue')} ${key}`),
    ...names.map((name) => `${labelOf('referenceId')} ${name}`),
  ]
  const rows = copies.map((number): CsvCell[] => [
    `${twin.title} ${number}`,
    twin.description,
    typeOf(twin.type),
    twin.tags.join(', '),
    twin.zones.join(', '),
    twin.address,
    twin.latitude,
    twin.longitude,
    twin.parentId === null ? '' : String(twin.parentId),
    ...keys.map((key) => twin.keyValues[key]),
    // An address that two twins share is rarely meant.
    ...names.map(() => ''),
  ])
  return { header, rows }
}
