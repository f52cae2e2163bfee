import * as z from 'zod'
import { Done, Id, Json, listOf, operation, Paging, pageOf, Time } from './common.ts'
import { jobTypes } from './jobs/kinds.ts'
import type { AccessRule } from './permissions.ts'

export const JobType = z.enum(jobTypes)
export type JobType = z.infer<typeof JobType>

/**
 * `postprocessing`: the rows are read and its file is being written; `deleted`: its file has been deleted; `failed`: given up
 * after several attempts, it can be retried and continues where it stopped.
 */
export const jobStates = [
  'created',
  'inprogress',
  'postprocessing',
  'deleted',
  'done',
  'canceled',
  'failed',
] as const
export const JobState = z.enum(jobStates)
export type JobState = z.infer<typeof JobState>

const JobResource = z.enum([
  'connector',
  'driver',
  'virtualDevice',
  'account',
  'deviceTemplate',
  'digitalTwin',
])

/** Why a row failed: a code of the catalogue or of a cell (`REQUIRED`, `TOO_LONG` …), with the column. */
export const CellFault = z.object({
  code: z.string(),
  column: z.string().nullable(),
  /** original error text, e.g. of the network server */
  detail: z.string().optional(),
})
export type CellFault = z.infer<typeof CellFault>

export const rowStates = ['waiting', 'done', 'unchanged', 'failed'] as const
export const RowState = z.enum(rowStates)
export type RowState = z.infer<typeof RowState>

/** A device or twin of a bulk job with its result. */
export const JobRow = z.object({
  /** line of the imported file (1 is the header row), else the index in the job */
  row: z.int(),
  state: RowState,
  /** the device or twin; null when none was created */
  objectId: Id.nullable(),
  title: z.string(),
  faults: z.array(CellFault),
})
export type JobRow = z.infer<typeof JobRow>

/** The file of an export. */
export const JobFile = z.object({
  name: z.string(),
  format: z.string(),
  /** bytes */
  size: z.int(),
  rows: z.int(),
  /** rows of the export beyond its limit are missing */
  cut: z.boolean(),
  /** it is deleted then */
  deletedAt: Time,
})
export type JobFile = z.infer<typeof JobFile>

/** Long-running work in the background. It survives a restart; cancelling it does not undo completed work. */
export const BackgroundJob = z.object({
  id: Id,
  type: JobType,
  state: JobState,
  title: z.string(),
  accountId: Id,
  user: z.string(),
  /** the object it works on */
  resource: z.object({ type: JobResource, id: Id }),
  /** pieces of work, as far as known */
  total: z.int(),
  done: z.int(),
  /** counts by outcome; which ones depends on the type */
  result: z.record(z.string(), Json),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** of an export that is done; null: it has none */
  file: JobFile.nullable(),
  /** cancellation requested: the current page is finished first */
  cancelRequested: z.boolean(),
  createdAt: Time,
  startedAt: Time.nullable(),
  stoppedAt: Time.nullable(),
})
export type BackgroundJob = z.infer<typeof BackgroundJob>

const CsvFile = z.object({
  headers: z.object({ 'content-type': z.string(), 'content-disposition': z.string() }),
  /** the file */
  body: z.unknown(),
})

/** Who may see background jobs. */
export const readJobs: AccessRule = {
  any: [
    { subject: 'all', action: 'manage' },
    { subject: 'DigitalTwin', action: 'read' },
    { subject: 'IotHub', action: 'read' },
    { subject: 'VirtualDevice', action: 'read' },
    { subject: 'VirtualDevice', action: 'write' },
    { subject: 'VirtualDevice', action: 'manage' },
    { subject: 'DeviceTemplate', action: 'manage' },
  ],
}

/**
 * All users see the jobs they started, and jobs of others where they may read twins, devices or the classic
 * hub. Only managers of the account cancel, delete or resume the jobs of others, and get the rows these have
 * uploaded.
 */
export const job = {
  list: operation
    .meta({ rule: readJobs, reads: 'noted' })
    .route({ method: 'GET', path: '/background-jobs', tags: ['background jobs'], summary: 'Background jobs' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        types: listOf(JobType).optional(),
        states: listOf(JobState).optional(),
        resourceType: JobResource.optional(),
        resourceId: Id.optional(),
        /** only those that failed, or some of whose rows did */
        faulty: z.boolean().optional(),
        /** only those of accounts the caller manages, without those of others that the caller sees */
        managed: z.boolean().optional(),
      }),
    )
    .output(pageOf(BackgroundJob.extend({ accountName: z.string() }))),
  get: operation
    .meta({ rule: readJobs, reads: 'noted' })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}',
      tags: ['background jobs'],
      summary: 'Read a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
  /** Stops after the current page; completed work is kept. */
  cancel: operation
    .meta({ rule: readJobs })
    .route({
      method: 'POST',
      path: '/background-jobs/{id}/cancel',
      tags: ['background jobs'],
      summary: 'Cancel a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
  /** The result for each device of a bulk job; other jobs have no rows. */
  rows: operation
    .meta({ rule: readJobs })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}/rows',
      tags: ['background jobs'],
      summary: 'Results of a bulk job, row by row',
    })
    .input(z.object({ ...Paging, id: Id, states: listOf(RowState).optional() }))
    .output(pageOf(JobRow)),
  /** Failed rows as a file: rows of an import as uploaded, with an additional column for the reason. */
  failedCsv: operation
    .meta({ rule: readJobs })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}/failed.csv',
      tags: ['background jobs'],
      summary: 'Failed rows as CSV',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id, language: z.enum(['de', 'en']).default('de') }))
    .output(CsvFile),
  /** Only while it is queued. */
  delete: operation
    .meta({ rule: readJobs })
    .route({
      method: 'DELETE',
      path: '/background-jobs/{id}',
      tags: ['background jobs'],
      summary: 'Delete a queued background job',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** A failed or cancelled job continues where it stopped; a completed one retries its failed rows. */
  retry: operation
    .meta({ rule: readJobs })
    .route({
      method: 'POST',
      path: '/background-jobs/{id}/retry',
      tags: ['background jobs'],
      summary: 'Go on with a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
}
