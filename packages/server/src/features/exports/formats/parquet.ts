import { exportLimits } from '@leitstand/contract/exports'
import { parquetFile, parquetType } from '../../../platform/tableFiles/index.ts'
import { storedLines, storedRows } from './stored.ts'
import type { Format } from './types.ts'

/** Columns for programs that evaluate many rows. */
export const parquet: Format = {
  ending: 'parquet',
  type: parquetType,
  rowsMax: exportLimits.rowsMax,
  head: () => '',
  lines: storedLines,
  cut: () => '',
  build: (texts, { columns }) => parquetFile(columns, storedRows(texts)),
}
