import type { Column } from '../columns.ts'
import type { ExportRow } from '../page.ts'
import type { ExportParams } from '../params.ts'

export interface Sheet {
  columns: readonly Column[]
  params: ExportParams
}

/** A format of files. Rows are stored as text while they are read; the file is made of these texts. */
export interface Format {
  ending: string
  /** media type */
  type: string
  rowsMax: number
  /** what comes before the first row; empty if that is made at the end */
  head(sheet: Sheet): string
  /** the texts of rows, each with the end of its line */
  lines(rows: readonly ExportRow[], sheet: Sheet): string
  /** what comes after the last row if there are more than the file may have */
  cut(rows: number, sheet: Sheet): string
  /** Makes the file of the stored texts; absent: they are the file. */
  build?(texts: AsyncIterable<string>, sheet: Sheet): AsyncIterable<Uint8Array>
}
