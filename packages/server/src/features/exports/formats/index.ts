import type { ExportFormat } from '@leitstand/contract/exports'
import { csv } from './csv.ts'
import { jsonl } from './jsonl.ts'
import { parquet } from './parquet.ts'
import type { Format } from './types.ts'
import { xlsx } from './xlsx.ts'

export type { Format, Sheet } from './types.ts'

/** Every format of files. */
export const formats: Readonly<Record<ExportFormat, Format>> = { csv, xlsx, jsonl, parquet }
