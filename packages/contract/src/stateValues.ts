import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { Value } from './series.ts'

/** Why a value was corrected or deleted; kept in the activity log. */
export const Reason = z.string().trim().min(3).max(500)

const write = {
  any: [
    { subject: 'DigitalTwin', action: 'write' },
    { subject: 'VirtualDevice', action: 'write' },
  ],
} as const

export const valueUploadLimits = {
  fileBytesMax: 10 * 1_048_576,
  /** rows of a file, and values in it */
  rowsMax: 100_000,
  valuesMax: 200_000,
  /** faults that the reply lists */
  faultsMax: 100,
  /** pairs of a twin and a state that a file across twins names, and twins whose values it holds */
  targetsMax: 20_000,
  twinsMax: 2_000,
  /** states that the reply lists */
  statesMax: 500,
  /** older values are refused: each month is a partition of its own */
  yearsMax: 20,
} as const

/** Why a cell of a file of values cannot be used. */
export const valueFaults = [
  'TIME',
  'TIME_RANGE',
  'VALUE',
  'STATE_UNKNOWN',
  'TWIN_UNKNOWN',
  'TWIN_AMBIGUOUS',
  'TWIN_FORBIDDEN',
] as const

const found = {
  rows: z.int(),
  values: z.int(),
  /** cells that cannot be used */
  faulty: z.int(),
  /** the first of them; `row` counts from 2 as in spreadsheets, where 1 is the header row */
  faults: z.array(
    z.object({ row: z.int(), column: z.string(), code: z.enum(valueFaults), cell: z.string() }),
  ),
  /** titles of columns that belong to no state, or to a computed one */
  ignored: z.array(z.string()),
}
const FoundState = z.object({ stateId: Id, title: z.string(), values: z.int(), from: Time, to: Time })

/** A background job that does the rest of the work; null: there is none. */
const job = BackgroundJob.nullable()

/** Stored values of states, changed by people. They are not new: rules do not react to them. */
export const stateValue = {
  /** Replaces a stored value; what is computed from it follows. */
  correct: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/digitaltwin/states/{id}/values',
      tags: ['states'],
      summary: 'Correct a value',
    })
    .input(z.object({ id: Id, time: Time, value: Value, reason: Reason }))
    .output(z.object({ job })),
  /** Deletes the values of a period, `endDate` not included; what is computed from them follows. */
  delete: operation
    .meta({ rule: write, clientTimeoutMs: 30_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/{id}/values/delete',
      tags: ['states'],
      summary: 'Delete values',
    })
    .input(
      z
        .object({ id: Id, startDate: Time, endDate: Time, reason: Reason })
        .refine(({ startDate, endDate }) => Date.parse(startDate) < Date.parse(endDate), {
          message: 'the start must be before the end',
          path: ['endDate'],
        }),
    )
    .output(z.object({ deleted: z.int(), job })),
  /**
   * Reads values of the states of a twin or device from a CSV or XLSX file with a header row: a column with the time, and either
   * a column for each state, named by its key or title, or the columns `key` and `value`. Times without an offset are in the
   * time zone of the account. Values replace those with the same time. With `dryRun` nothing is stored; otherwise what the
   * faulty rows do not hold is.
   */
  upload: operation
    .meta({ rule: write, fileBytesMax: valueUploadLimits.fileBytesMax, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/values/upload',
      tags: ['states'],
      summary: 'Upload values',
    })
    .input(
      z.object({
        file: z.file(),
        /** form fields are text */
        dtwinId: z.coerce.number<number | string>().int().positive(),
        /** only values of this state, also from a column `value` */
        stateId: z.coerce.number<number | string>().int().positive().optional(),
        dryRun: z.stringbool().or(z.boolean()).default(false),
      }),
    )
    .output(
      z.object({
        ...found,
        states: z.array(FoundState),
        job,
      }),
    ),
  /**
   * The same across the twins and devices of an account: a further column `twin` has the id of each, its title if no other has
   * it, or the titles of the twins above it and its own, separated by ` / `. Faults are those of single cells; what the others
   * hold is stored. A background job continues when the file is large, one for twins and one for devices.
   */
  uploadAcross: operation
    .meta({ rule: write, fileBytesMax: valueUploadLimits.fileBytesMax, clientTimeoutMs: 120_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/states/values/upload-across',
      tags: ['states'],
      summary: 'Upload values across twins',
    })
    .input(
      z.object({
        file: z.file(),
        /** form fields are text */
        accountId: z.coerce.number<number | string>().int().positive(),
        dryRun: z.stringbool().or(z.boolean()).default(false),
      }),
    )
    .output(
      z.object({
        ...found,
        /** how many twins and devices the values belong to */
        twins: z.int(),
        /** the first of the states */
        states: z.array(FoundState.extend({ twinId: Id, twinTitle: z.string() })),
        statesTotal: z.int(),
        jobs: z.array(BackgroundJob),
      }),
    ),
}
