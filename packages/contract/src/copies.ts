import * as z from 'zod'
import { Id, operation, Paging, pageOf, Title } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { TwinFilters } from './twins.ts'

export const copyLimits = {
  /** twins of one copy with everything below it */
  twinsMax: 10_000,
  /** up to these a copy is made at once, beyond them by a background job */
  directTwinsMax: 25,
  directStatesMax: 1_000,
  directRulesMax: 100,
  directFileBytesMax: 10 * 1_048_576,
  /** twins synchronised by one job */
  targetsMax: 5_000,
  /** named when the caller may not change all of them */
  refusedMax: 20,
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

export const hasStatesOfRules = ({ states, rules }: { states: boolean; rules: boolean }) => states || !rules
export const rulesNeedStates = { message: 'rules need the states they refer to', path: ['rules'] }

/** What is taken over from the twin. */
export const SyncParts = z.object({
  /** added and changed by key; histories are kept */
  states: z.boolean().default(true),
  /** added and changed by title; needs `states`, which they refer to */
  rules: z.boolean().default(true),
  /** type, number and name of the floor */
  typeFields: z.boolean().default(false),
  icon: z.boolean().default(false),
  /** deletes states and rules the twin does not have; states that something else uses stay */
  removeOthers: z.boolean().default(false),
})
export type SyncParts = z.infer<typeof SyncParts>

/** The given twins, or all that match a filter; the twin itself is left out. */
export const SyncSelection = z.union([
  z.strictObject({ ids: z.array(Id).min(1).max(copyLimits.targetsMax) }),
  z.strictObject({ filter: TwinFilters }),
])
export type SyncSelection = z.infer<typeof SyncSelection>

/** Keys of states or titles of rules. */
const Difference = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
})

/** What a twin would have changed. */
export const SyncTarget = z.object({
  id: Id,
  title: z.string(),
  states: Difference,
  rules: Difference,
  /** names of its own fields */
  fields: z.array(z.string()),
})
export type SyncTarget = z.infer<typeof SyncTarget>

const syncInput = {
  id: Id,
  selection: SyncSelection,
  ...SyncParts.shape,
}

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
  /** What `synchronize` would change in each twin, by id. Twins the caller may not change are in `refused`. */
  synchronizePreview: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/synchronize/preview',
      tags: ['twins'],
      summary: 'What synchronising twins would change',
    })
    .input(
      z
        .object({ ...syncInput, offset: Paging.offset, limit: z.int().min(1).max(20).default(10) })
        .refine(hasStatesOfRules, rulesNeedStates),
    )
    .output(
      pageOf(SyncTarget).extend({
        targetsMax: z.int(),
        /** the first of them */
        refused: z.array(z.object({ id: Id, title: z.string() })),
        /** rules that are not taken over, because the caller may not see or set states they refer to */
        hiddenRules: z.int(),
      }),
    ),
  /**
   * Makes other twins like this one, as a background job. A state keeps its own source where the twin's is an address, a
   * device, nothing, or hidden from the caller. All twins must be changeable: NO_PERMISSION with `items` names those that
   * are not. More than 5 000 twins: BACKGROUND_JOB_TOO_LARGE. DTWIN_SYNC_FAILED in a row: the twin does not fit.
   */
  synchronize: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/synchronize',
      tags: ['twins'],
      summary: 'Make other twins like this one',
      successStatus: 201,
    })
    .input(z.object(syncInput).refine(hasStatesOfRules, rulesNeedStates))
    .output(BackgroundJob),
}
