import * as z from 'zod'
import { Preset } from './bridge.ts'
import { Id, limits, operation, Paging, pageOf, Time } from './common.ts'
import { BackgroundJob } from './jobs.ts'

/** A message that could not be processed. */
export const DeadLetter = z.object({
  id: Id,
  receivedAt: Time,
  /** the device's external id as given in the message */
  identifier: z.string().nullable(),
  deviceId: Id.nullable(),
  /** code of the error catalogue */
  reason: z.string(),
  detail: z.string(),
  body: z.string(),
  /** MQTT only */
  topic: z.string().nullable(),
  /** how the connector parsed it at that time; null for letters of older versions */
  preset: Preset.nullable(),
  /** `message`: the original message; `packet`: one packet of it, after the connector's preset or template */
  stage: z.enum(['message', 'packet']),
  /** whether it can be replayed: its complete body was stored */
  replayable: z.boolean(),
  /** failed replays, and when the last one failed */
  attempts: z.int(),
  lastAttemptAt: Time.nullable(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

const DeadLetterFilter = {
  reason: z.string().max(100).optional(),
  /** external id as given in the message, ignoring case and separators */
  identifier: z.string().max(200).optional(),
  /** received in this period, the end is exclusive */
  from: Time.optional(),
  to: Time.optional(),
  /** part of the body, the explanation or the identifier */
  search: z.string().max(200).optional(),
}

/**
 * Dead letters to replay or delete: the given ones, or all that match a filter (`{}`: all of the connector).
 */
export const DeadLetterSelection = z.union([
  z.strictObject({ ids: z.array(Id).min(1).max(limits.pageMax) }),
  z.strictObject({ filter: z.strictObject({ ...DeadLetterFilter, untilId: Id.optional() }) }),
])
export type DeadLetterSelection = z.infer<typeof DeadLetterSelection>

const manage = { any: [{ subject: 'all', action: 'manage' }] } as const

export const letters = {
  /**
   * Messages that could not be processed, with the reason; newest first, at most 20 000 and 256 MB per
   * connector. Bodies are truncated at 4 KB here.
   */
  list: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/bridge/configs/{id}/dead-letters',
      tags: ['connectors'],
      summary: 'Messages that could not be used',
    })
    .input(z.object({ id: Id, ...Paging, ...DeadLetterFilter }))
    .output(
      pageOf(DeadLetter).extend({
        /** stored letters by reason; applies the filter except for its reason */
        byReason: z.array(z.object({ reason: z.string(), count: z.int() })),
        /** refusals since the connector was created, whether stored or not */
        refusals: z.array(z.object({ reason: z.string(), count: z.int(), lastAt: Time })),
        /** id of the newest letter; pass it as `untilId` so that a replay or deletion ignores later ones */
        newestId: Id.nullable(),
      }),
    ),
  /** A dead letter with its complete body. */
  get: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/bridge/configs/{id}/dead-letters/{letterId}',
      tags: ['connectors'],
      summary: 'Read a dead letter',
    })
    .input(z.object({ id: Id, letterId: Id }))
    .output(DeadLetter),
  /**
   * Processes dead letters again, with their original time of reception, as a background job: usable ones are
   * stored once, the others stay with their new reason. Results of the job: `stored`, `duplicates`,
   * `dropped`, `withErrors` (stored, but the driver failed), `failed`, and `failed:<reason>` each.
   */
  replay: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/bridge/configs/{id}/dead-letters/replay',
      tags: ['connectors'],
      summary: 'Replay dead letters',
      successStatus: 201,
    })
    .input(z.object({ id: Id, selection: DeadLetterSelection }))
    .output(BackgroundJob),
  delete: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/bridge/configs/{id}/dead-letters/delete',
      tags: ['connectors'],
      summary: 'Delete dead letters',
    })
    .input(z.object({ id: Id, selection: DeadLetterSelection }))
    .output(z.object({ deleted: z.int() })),
}
