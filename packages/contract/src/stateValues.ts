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
}
