import { BulkExport, ExportSelection } from '@leitstand/contract/exports'
import * as z from 'zod'
import { Errand } from '../people/index.ts'

const { title: _, selection: __, ...options } = BulkExport.shape

/** What an export job does, as stored with it. Its period no longer depends on when it runs. */
export const ExportParams = z.object({
  ...options,
  errand: Errand,
  selection: z.union([ExportSelection, z.object({ of: z.literal('object'), id: z.int() })]),
  /** milliseconds since 1970, end excluded */
  startMs: z.number(),
  endMs: z.number(),
  /** of the account and those above it */
  rowsMax: z.int(),
  /** name of the file without its ending */
  name: z.string(),
})
export type ExportParams = z.infer<typeof ExportParams>

/** How far an export has come. */
export const ExportCursor = z.object({
  /** the device or twin, and in the long layout its state, that was read last; null: none was */
  at: z
    .object({
      objectId: z.int(),
      stateId: z.int(),
      /** values up to this time were read; null: all of them */
      upToMs: z.number().nullable(),
    })
    .nullable(),
  /** states read at once; fewer where there are many values */
  width: z.int(),
  /** pieces stored */
  pieces: z.int(),
  rows: z.int(),
  /** bytes of the rows as text */
  bytes: z.number(),
  /** identifiers that have columns, in the wide layout */
  keys: z.array(z.string()),
  /** the rows end at the limit, and there are more */
  cut: z.boolean(),
})
export type ExportCursor = z.infer<typeof ExportCursor>
