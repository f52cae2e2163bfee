import * as z from 'zod'
import { Done, Id, Json, listOf, operation, Paging, pageOf, Time } from './common.ts'
import { jobTypes } from './jobs/kinds.ts'
import type { AccessRule } from './permissions.ts'

export const JobType = z.enum(jobTypes)
export type JobType = z.infer<typeof JobType>

/** `failed`: given up after several attempts; it can be tried again and goes on where it stopped. */
export const jobStates = ['created', 'inprogress', 'done', 'canceled', 'failed'] as const
export const JobState = z.enum(jobStates)
export type JobState = z.infer<typeof JobState>

const JobResource = z.enum(['connector', 'driver', 'virtualDevice', 'account', 'deviceTemplate'])

/** Why a row failed: a code of the catalogue or of a cell (`REQUIRED`, `TOO_LONG` …), with the column it is about. */
export const CellFault = z.object({
  code: z.string(),
  column: z.string().nullable(),
  /** in the words of whoever refused it, e.g. the network server */
  detail: z.string().optional(),
})
export type CellFault = z.infer<typeof CellFault>

export const rowStates = ['waiting', 'done', 'unchanged', 'failed'] as const
export const RowState = z.enum(rowStates)
export type RowState = z.infer<typeof RowState>

/** A device of a bulk job and what came of it. */
export const JobRow = z.object({
  /** line of the imported file (1 is the line of titles), else the place in the job */
  row: z.int(),
  state: RowState,
  /** the device; null when none was created */
  objectId: Id.nullable(),
  title: z.string(),
  faults: z.array(CellFault),
})
export type JobRow = z.infer<typeof JobRow>

/** Long work in the background. It survives a restart; what it has done when it is cancelled stays done. */
export const BackgroundJob = z.object({
  id: Id,
  type: JobType,
  state: JobState,
  title: z.string(),
  accountId: Id,
  user: z.string(),
  /** what it is about */
  resource: z.object({ type: JobResource, id: Id }),
  /** pieces of work, as far as known */
  total: z.int(),
  done: z.int(),
  /** counts by outcome; which ones depends on the type */
  result: z.record(z.string(), Json),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** a cancellation is waited for: the page at work is finished first */
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

const read: AccessRule = {
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
 * Everybody sees the jobs they asked for, and those of others where they may read twins, devices or the classic hub. Only
 * managers of the account cancel, delete or go on with the jobs of others, and get the rows these have uploaded.
 */
export const job = {
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/background-jobs', tags: ['background jobs'], summary: 'Background jobs' })
    .input(
      z.object({
        ...Paging,
        types: listOf(JobType).optional(),
        states: listOf(JobState).optional(),
        resourceType: JobResource.optional(),
        resourceId: Id.optional(),
      }),
    )
    .output(pageOf(BackgroundJob)),
  get: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}',
      tags: ['background jobs'],
      summary: 'Read a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
  /** Ends after the page at work; what is done stays done. */
  cancel: operation
    .meta({ rule: read })
    .route({
      method: 'POST',
      path: '/background-jobs/{id}/cancel',
      tags: ['background jobs'],
      summary: 'Cancel a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
  /** What came of each device of a bulk job; other jobs have no rows. */
  rows: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}/rows',
      tags: ['background jobs'],
      summary: 'Results of a bulk job, row by row',
    })
    .input(z.object({ ...Paging, id: Id, states: listOf(RowState).optional() }))
    .output(pageOf(JobRow)),
  /** Rows that failed as a file: those of an import as they were uploaded, with the reason in a column of its own. */
  failedCsv: operation
    .meta({ rule: read })
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
    .meta({ rule: read })
    .route({
      method: 'DELETE',
      path: '/background-jobs/{id}',
      tags: ['background jobs'],
      summary: 'Delete a queued background job',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** A job that failed or was cancelled goes on where it stopped; one that is done tries its failed rows again. */
  retry: operation
    .meta({ rule: read })
    .route({
      method: 'POST',
      path: '/background-jobs/{id}/retry',
      tags: ['background jobs'],
      summary: 'Go on with a background job',
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
}
