import type { FileFormat } from '@leitstand/contract/common'
import { streamOf } from '../csv.ts'
import { csv } from './csv.ts'
import { jsonl } from './jsonl.ts'
import { parquet } from './parquet.ts'
import type { Table, TableFormats } from './types.ts'
import { xlsx } from './xlsx.ts'

export { type ListColumn, listTable } from './list.ts'
export { parquetFile, parquetType } from './parquet.ts'
export type { Table, TableCell, TableColumn } from './types.ts'

/** Every format that lists are written in. */
export const tableFormats: TableFormats = { csv, xlsx, jsonl, parquet }

/**
 * A list as the answer to a request: the file is written while it is sent. Files for programs have no line that says that
 * rows are missing, so a header of the answer does.
 * @param name of the file, without ending, in ASCII
 */
export function tableReply<Row>(format: FileFormat, name: string, table: Table<Row>) {
  const { type, pieces } = tableFormats[format]
  return {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}.${format}"`,
      ...(table.cut === null ? {} : { 'x-rows-left-out': 'true' as const }),
    },
    body: streamOf(pieces(table)),
  }
}
