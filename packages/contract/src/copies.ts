import * as z from 'zod'
import { Id, operation, Title } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'

export const copyLimits = {
  /** twins of one copy with everything below it */
  twinsMax: 10_000,
  /** up to these a copy is made at once, beyond them by a background job */
  directTwinsMax: 25,
  directStatesMax: 1_000,
  directRulesMax: 100,
  directFileBytesMax: 10 * 1_048_576,
} as const

/** What is copied with a twin. */
export const CopyParts = z.object({
  /** with all twins below it, as far as the caller may read them; virtual devices are never copied */
  descendants: z.boolean().default(true),
  states: z.boolean().default(true),
  /** needs `states`, which they refer to */
  rules: z.boolean().default(true),
  /** picture and attachments */
  files: z.boolean().default(true),
  /** they are addresses: data sent to one of them reaches every twin that has it */
  referenceIds: z.boolean().default(false),
  /**
   * Keeps the connector and identifier that states listen to, and the states of devices below the twin that others
   * are computed from. Otherwise the copies of these states have no source.
   */
  bindings: z.boolean().default(false),
})
export type CopyParts = z.infer<typeof CopyParts>

const hasStatesOfRules = ({ states, rules }: CopyParts) => states || !rules
const rulesNeedStates = { message: 'rules need the states they refer to', path: ['rules'] }

const write = may('DigitalTwin', 'write', 'manage')

/** Copies of digital twins. */
export const twinCopy = {
  /** What a copy of the twin holds. */
  contents: operation
    .meta({ rule: write, clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/duplicate',
      tags: ['twins'],
      summary: 'What a copy of a twin would hold',
    })
    .input(z.object({ id: Id, descendants: z.boolean().default(true) }))
    .output(
      z.object({
        /** with the twin itself */
        twins: z.int(),
        twinsMax: z.int(),
        /** virtual devices below it, which are not copied */
        devices: z.int(),
        states: z.int(),
        /** states that lose their source unless `bindings` is set */
        boundStates: z.int(),
        /** states computed from others that the caller may not see: their copies have no source */
        hiddenStates: z.int(),
        rules: z.int(),
        /** rules that are not copied, because the caller may not see or set states they refer to */
        hiddenRules: z.int(),
        files: z.int(),
        fileBytes: z.int(),
        referenceIds: z.int(),
      }),
    ),
  /**
   * Copies a twin below a parent, or to the top of an account. States and rules of the copy refer to copied
   * states where these were copied with them, otherwise to the same states as before. Values, devices, dashboards,
   * responsible users and scopes are not copied.
   *
   * The answer has the twin, or for a large copy the job that makes it. DTWIN_COPY_TIMED_OUT: it takes longer than
   * expected and continues in the background, as the job `jobId`. More than 10 000 twins: BACKGROUND_JOB_TOO_LARGE.
   */
  duplicate: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/duplicate',
      tags: ['twins'],
      summary: 'Copy a twin',
      successStatus: 201,
    })
    .input(
      z
        .object({
          id: Id,
          title: Title,
          parentId: Id.nullable().default(null),
          accountId: Id.optional(),
          ...CopyParts.shape,
        })
        .refine(hasStatesOfRules, rulesNeedStates),
    )
    .output(z.object({ twinId: Id.nullable(), job: BackgroundJob.nullable() })),
}
