import type { FileFormat } from '@leitstand/contract/common'

/** A cell of a file. */
export type TableCell = string | number | boolean | null | Date

/** What the cells of a column are, for formats that need to know: `value` may be a number or a text. */
export type CellType = 'time' | 'id' | 'number' | 'text' | 'value'

export interface TableColumn<Row> {
  /** for programs */
  name: string
  /** for people */
  title: string
  type: CellType
  /** of spreadsheets, in characters; default: by type */
  width?: number
  cell: (row: Row) => TableCell
}

/** A list as a file, whose rows are read while it is sent. */
export interface Table<Row> {
  /** of the sheet */
  title: string
  columns: readonly TableColumn<Row>[]
  /** German spreadsheets expect semicolons, English ones commas */
  language: 'de' | 'en'
  /** some hundred rows at a time: each page is written at once */
  pages: AsyncIterable<readonly Row[]>
  /** the last line of files for people if there are more rows than the file may have; null: it has them all */
  cut: string | null
}

/** A format that lists are written in. */
export interface TableFormat {
  /** media type */
  type: string
  pieces<Row>(table: Table<Row>): AsyncGenerator<string | Uint8Array>
}

export type TableFormats = Readonly<Record<FileFormat, TableFormat>>
