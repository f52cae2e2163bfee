import type { JsonValue } from '@leitstand/contract/common'
import { type BasicType, ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer'
import { neutralName } from '../brands.ts'
import type { CellType, TableCell, TableFormat } from './types.ts'

export const parquetType = 'application/vnd.apache.parquet'

interface ParquetColumn {
  name: string
  type: CellType
}

/** Rows of a group: as many as are encoded without holding up everything else. */
const groupRows = 5_000

/** A column of the file. A value is a number, or else the text in the column after it. */
interface Field {
  name: string
  type: BasicType
  at: number
  cell: (cell: JsonValue) => number | string | Date | null
}

/** Hands out what was written; positions in the file go on counting. */
class PartWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice()
    this.index = 0
    return bytes
  }
}

/**
 * A file for programs that evaluate many rows: times as such, a value as a number (true is 1), and texts and JSON in
 * `<name>_text`.
 * @param pages rows of cells in the order of the columns, times in milliseconds since 1970; a page is encoded at once
 */
export async function* parquetFile(
  columns: readonly ParquetColumn[],
  pages: AsyncIterable<readonly JsonValue[][]>,
): AsyncGenerator<Uint8Array> {
  const fields = fieldsOf(columns)
  const out = new PartWriter()
  const file = new ParquetWriter({
    writer: out,
    createdBy: neutralName,
    schema: [
      { name: 'root', num_children: fields.length },
      ...fields.map(({ name, type }) => elementOf(name, type)),
    ],
  })
  let waiting: JsonValue[][] = []
  for await (const rows of pages) {
    waiting.push(...rows)
    if (waiting.length < groupRows) continue
    await file.write({ columnData: dataOf(fields, waiting), rowGroupSize: waiting.length })
    waiting = []
    yield out.take()
  }
  if (waiting.length > 0)
    await file.write({ columnData: dataOf(fields, waiting), rowGroupSize: waiting.length })
  await file.finish()
  yield out.take()
}

/** Lists as Parquet. */
export const parquet: TableFormat = {
  type: parquetType,
  pieces({ columns, pages }) {
    async function* cells(): AsyncGenerator<JsonValue[][]> {
      for await (const rows of pages)
        yield rows.map((row) => columns.map(({ cell }) => storedCell(cell(row))))
    }
    return parquetFile(columns, cells())
  },
}

const storedCell = (cell: TableCell): JsonValue => (cell instanceof Date ? cell.getTime() : cell)

function elementOf(name: string, type: BasicType) {
  const column = { name, repetition_type: 'OPTIONAL' } as const
  switch (type) {
    case 'TIMESTAMP':
      return { ...column, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' } as const
    case 'STRING':
      return { ...column, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
    case 'INT32':
      return { ...column, type: 'INT32' } as const
    default:
      return { ...column, type: 'DOUBLE' } as const
  }
}

const dataOf = (fields: readonly Field[], rows: readonly JsonValue[][]): ColumnSource[] =>
  fields.map(({ name, at, cell }) => ({ name, data: rows.map((row) => cell(row[at] ?? null)) }))

const asText = (cell: JsonValue) => (cell === null || typeof cell === 'string' ? cell : JSON.stringify(cell))
const asNumber = (cell: JsonValue) =>
  typeof cell === 'boolean' ? Number(cell) : typeof cell === 'number' ? cell : null
const asOther = (cell: JsonValue) =>
  typeof cell === 'number' || typeof cell === 'boolean' ? null : asText(cell)

function fieldsOf(columns: readonly ParquetColumn[]): Field[] {
  const names = new Set<string>()
  // A column that has the name of another one could not be found by it.
  const unused = (name: string): string => {
    let free = name
    for (let n = 2; names.has(free); n++) free = `${name}_${n}`
    names.add(free)
    return free
  }
  return columns.flatMap(({ name, type }, at): Field[] => {
    if (type === 'time') {
      const cell = (value: JsonValue) => (typeof value === 'number' ? new Date(value) : null)
      return [{ name: unused(name), type: 'TIMESTAMP', at, cell }]
    }
    if (type === 'number') return [{ name: unused(name), type: 'DOUBLE', at, cell: asNumber }]
    if (type === 'id') return [{ name: unused(name), type: 'INT32', at, cell: asNumber }]
    if (type === 'text') return [{ name: unused(name), type: 'STRING', at, cell: asText }]
    return [
      { name: unused(name), type: 'DOUBLE', at, cell: asNumber },
      { name: unused(`${name}_text`), type: 'STRING', at, cell: asOther },
    ]
  })
}
