import * as z from 'zod'
import { Activity } from './auth.ts'
import { Id, ListFile, ListFileInput, listOf, operation, Paging, pageOf, Time } from './common.ts'
import { may } from './permissions.ts'

/** Maximum entries that are counted and paged through; use `before` and the period to go further back. */
export const activityCountMax = 10_000

/** Maximum entries of one file, unless the account has a lower limit. */
export const activityFileRowsMax = 1_000_000

/** Filters of the log. */
const ActivityFilter = {
  /** part of the title of the object, or of the name of the user or impersonator */
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  /** actions of these users, including those as an impersonator */
  userIds: listOf(Id).optional(),
  subject: z.string().max(50).optional(),
  action: z.string().max(50).optional(),
  /** with `subject`: the history of one object */
  objectId: Id.optional(),
  from: Time.optional(),
  to: Time.optional(),
}

const manageAll = may('all', 'manage')

export const activityLog = {
  /**
   * The activity log of the accounts the caller manages, newest first. `total` counts up to 10 000 entries;
   * `more` is true if there are others. `before` continues after the last entry of a page, however far back.
   */
  list: operation
    .meta({ rule: manageAll, reads: 'replica' })
    .route({ method: 'GET', path: '/activityLog', tags: ['activity'], summary: 'Activity log' })
    .input(
      z.object({
        ...ActivityFilter,
        offset: Paging.offset.unwrap().max(activityCountMax).default(0),
        limit: Paging.limit,
        before: Id.optional(),
      }),
    )
    .output(pageOf(Activity).extend({ more: z.boolean() })),
  /**
   * The same as a file, newest first, streamed. Limited by the account's CSV limit, else to a million entries. Texts that a
   * spreadsheet would execute are escaped.
   */
  exportFile: operation
    .meta({ rule: manageAll, clientTimeoutMs: 210_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/activityLog/csv-export',
      tags: ['activity'],
      summary: 'Activity log as a file',
      outputStructure: 'detailed',
    })
    .input(z.object({ ...ActivityFilter, ...ListFileInput }))
    .output(ListFile),
}
