import * as z from 'zod'
import {
  BulkTitle,
  badlyNamed,
  bulkLimits,
  columnFields,
  FaultyRows,
  isOnce,
  isWellNamed,
  UploadedColumn,
  UploadedFile,
} from './bulk.ts'
import { Id, operation } from './common.ts'
import { CopyParts, hasStatesOfRules, rulesNeedStates } from './copies.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'

/** Fields of a copy that a column can be read into. `keyValue` and `referenceId` also need a name. */
export const twinTargets = [
  'title',
  'description',
  'type',
  'tags',
  'zones',
  'address',
  'latitude',
  'longitude',
  'parent',
  'keyValue',
  'referenceId',
] as const
export const TwinTarget = z.enum(twinTargets)
export type TwinTarget = z.infer<typeof TwinTarget>

/**
 * How the cells of a column are written: `hex` are pairs of the digits 0-9 and A-F; `eui` is an EUI-64 in any of the usual
 * notations, stored as 16 digits.
 */
export const cellFormats = ['text', 'hex', 'eui'] as const
export const CellFormat = z.enum(cellFormats)
export type CellFormat = z.infer<typeof CellFormat>

export const TwinColumn = z
  .object({
    ...columnFields,
    target: TwinTarget,
    /** of key-values and reference ids */
    format: CellFormat.default('text'),
  })
  .refine(isWellNamed, badlyNamed)
export type TwinColumn = z.infer<typeof TwinColumn>

/** The file and the meaning of its columns. */
export const TwinsData = z.object({
  uploadId: z.uuid(),
  columns: z
    .array(TwinColumn)
    .min(1)
    .max(bulkLimits.columnsMax)
    .refine(isOnce, 'a field can be read from one column only')
    .refine((columns) => columns.some(({ target }) => target === 'title'), 'title is missing'),
})

export const TwinUpload = UploadedFile.extend({
  columns: z.array(
    UploadedColumn.extend({
      /** suggested target with its name and format, derived from the title */
      target: TwinTarget.nullable(),
      name: z.string(),
      format: CellFormat,
    }),
  ),
})
export type TwinUpload = z.infer<typeof TwinUpload>

const write = may('DigitalTwin', 'write', 'manage')
const path = '/background-runners/digitaltwin-bulk-duplicate'

const definition = {
  /** the twin that is copied once per row */
  id: Id,
  twinsData: TwinsData,
  /** where copies go whose row names no parent; null: the top of the account */
  parentId: Id.nullable().default(null),
  accountId: Id.optional(),
  ...CopyParts.shape,
}

/** Copies of one twin, one for each row of a file. */
export const bulkDuplicate = {
  /**
   * Uploads a CSV (`;`, `,` or tab; UTF-8 or Windows-1252) or XLSX file with a header row, as multipart form.
   * It is kept for a day.
   */
  upload: operation
    .meta({ rule: write, fileBytesMax: bulkLimits.fileBytesMax, clientTimeoutMs: 50_000 })
    .route({
      method: 'POST',
      path: `${path}/upload`,
      tags: ['twins'],
      summary: 'Upload a file of twins',
      successStatus: 201,
    })
    .input(z.object({ file: z.file() }))
    .output(TwinUpload),
  /** Dry run: checks every row and creates nothing. Errors as `run`, apart from those of rows. */
  preview: operation
    .meta({ rule: write, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: `${path}/preview`,
      tags: ['twins'],
      summary: 'Check a file of twins',
    })
    .input(z.object(definition).refine(hasStatesOfRules, rulesNeedStates))
    .output(
      z.object({
        rows: z.int(),
        valid: z.int(),
        faulty: z.int(),
        /** maximum rows, by the limit of the account and the number of twins in each copy */
        rowsMax: z.int(),
        /** in each copy, with everything below it */
        twins: z.int(),
        faults: FaultyRows,
      }),
    ),
  /**
   * Copies a twin once per row of a file, as a background job. Empty cells keep what the twin has; key-values and
   * reference ids are added to those of the copy. If a row sets another position, the polygon moves along.
   *
   * Faulty rows abort it (BULK_ROWS_FAULTY) unless they are skipped. More rows than the account allows, or more than
   * 10 000 twins in all copies: BACKGROUND_JOB_TOO_LARGE. A twin with too much below it: BULK_TEMPLATE_TOO_LARGE.
   */
  run: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path,
      tags: ['twins'],
      summary: 'Copy a twin once per row of a file',
      successStatus: 201,
    })
    .input(
      z
        .object({
          ...definition,
          title: BulkTitle,
          /** faulty rows are listed in the result of the job, to be corrected and uploaded again */
          skipFaulty: z.boolean().default(false),
        })
        .refine(hasStatesOfRules, rulesNeedStates),
    )
    .output(BackgroundJob),
}
