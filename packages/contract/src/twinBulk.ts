import * as z from 'zod'
import { AddAndRemove, BulkTitle, bulkLimits, changesSomething, SetAndRemove } from './bulk.ts'
import { Id, operation } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { TwinFilters } from './twins.ts'

/** The given twins, or all that match a list filter when the job is started. */
export const TwinSelection = z.union([
  z.strictObject({ ids: z.array(Id).min(1).max(bulkLimits.devicesMax) }),
  z.strictObject({ filter: TwinFilters }),
])
export type TwinSelection = z.infer<typeof TwinSelection>

/** Changes of a bulk edit; fields that are absent stay unchanged. */
export const TwinChanges = z
  .strictObject({
    tags: AddAndRemove.optional(),
    zones: AddAndRemove.optional(),
    keyValues: SetAndRemove.optional(),
    /** with everything below; null: the top level of the account */
    parentId: Id.nullable().optional(),
    icon: z.string().max(50).nullable().optional(),
    /** together with the virtual devices below */
    disabled: z.boolean().optional(),
  })
  .refine(changesSomething, 'nothing to change')
export type TwinChanges = z.infer<typeof TwinChanges>

const write = may('DigitalTwin', 'write', 'manage')
const tags = ['twins']

/** Changes of many twins as background jobs, with a result for each twin. */
export const twinBulk = {
  /** The number of twins in a selection, their accounts, and the maximum for a job. */
  selection: operation
    .meta({ rule: write, clientTimeoutMs: 25_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/background-runners/digitaltwin-bulk-edit/selection',
      tags,
      summary: 'Count a selection of twins',
    })
    .input(z.object({ selection: TwinSelection }))
    .output(
      z.object({
        twins: z.int(),
        twinsMax: z.int(),
        accounts: z.array(z.object({ id: Id, name: z.string() })),
      }),
    ),
  /**
   * Changes or deletes twins. Tags, zones and parent need twins of one account (BULK_SEVERAL_ACCOUNTS); deleting needs their
   * number (BULK_COUNT) and begins with the lowest, since a twin with others below it is not deleted. Above the limit
   * of the account for bulk edits: BACKGROUND_JOB_TOO_LARGE.
   */
  edit: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/background-runners/digitaltwin-bulk-edit',
      tags,
      summary: 'Change or delete many twins',
      successStatus: 201,
    })
    .input(
      z.object({
        title: BulkTitle,
        selection: TwinSelection,
        mode: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('edit'), changes: TwinChanges }),
          z.object({ kind: z.literal('delete'), count: z.int().min(1) }),
        ]),
      }),
    )
    .output(BackgroundJob),
}
