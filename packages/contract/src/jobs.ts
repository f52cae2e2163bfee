import * as z from 'zod'
import { Id, Json, listOf, operation, Paging, pageOf, Time } from './common.ts'
import type { AccessRule } from './permissions.ts'

/** Kinds of long work: dead letters replayed, stored packets decoded again. */
export const jobTypes = ['dead-letters-replay', 'packets-decode'] as const
export const JobType = z.enum(jobTypes)
export type JobType = z.infer<typeof JobType>

/** `failed`: given up after several attempts; it can be tried again and goes on where it stopped. */
export const jobStates = ['created', 'inprogress', 'done', 'canceled', 'failed'] as const
export const JobState = z.enum(jobStates)
export type JobState = z.infer<typeof JobState>

/** Long work in the background. It survives a restart; what it has done when it is cancelled stays done. */
export const BackgroundJob = z.object({
  id: Id,
  type: JobType,
  state: JobState,
  title: z.string(),
  accountId: Id,
  user: z.string(),
  /** what it is about */
  resource: z.object({ type: z.enum(['connector', 'driver', 'virtualDevice']), id: Id }),
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

const read: AccessRule = {
  any: [
    { subject: 'all', action: 'manage' },
    { subject: 'DigitalTwin', action: 'read' },
    { subject: 'IotHub', action: 'read' },
    { subject: 'VirtualDevice', action: 'read' },
    { subject: 'VirtualDevice', action: 'write' },
    { subject: 'VirtualDevice', action: 'manage' },
  ],
}

/** Everybody sees the jobs they asked for; managers of an account also those of others in it. */
export const job = {
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/background-jobs', tags: ['background jobs'], summary: 'Background jobs' })
    .input(
      z.object({
        ...Paging,
        types: listOf(JobType).optional(),
        states: listOf(JobState).optional(),
        resourceType: z.enum(['connector', 'driver', 'virtualDevice']).optional(),
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
  /** A job that failed or was cancelled goes on where it stopped. */
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
