import * as z from 'zod'
import { Activity } from './auth.ts'
import { Id, listOf, operation, Paging, pageOf, Time } from './common.ts'
import { may } from './permissions.ts'

/** Matching entries are counted, and pages reach, up to here; `before` and the period lead further back. */
export const activityCountMax = 10_000

/** Most entries of one CSV file, unless the account has a lower limit. */
export const activityCsvRowsMax = 1_000_000

/** Which entries of the log. */
const ActivityFilter = {
  /** part of the title of the object, or of the name of the user or of who acted as him */
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  /** what these users did, or did as somebody else */
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
   * Who changed what, newest first, of the accounts the caller manages. `total` counts up to 10 000 entries; `more` says
   * that there are others. `before` continues after the last entry of a page, however far back.
   */
  list: operation
    .meta({ rule: manageAll })
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
   * The same as CSV, newest first, as a stream. The limit of the account for CSV files holds, else a million entries;
   * the last line says so when there are more. Texts a spreadsheet would run are made harmless.
   */
  exportCsv: operation
    .meta({ rule: manageAll, clientTimeoutMs: 210_000 })
    .route({
      method: 'GET',
      path: '/activityLog/csv-export',
      tags: ['activity'],
      summary: 'Activity log as CSV',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        ...ActivityFilter,
        /** German spreadsheets expect semicolons, English ones commas */
        language: z.enum(['de', 'en']).default('en'),
      }),
    )
    .output(
      z.object({
        headers: z.object({ 'content-type': z.string(), 'content-disposition': z.string() }),
        /** the file */
        body: z.unknown(),
      }),
    ),
}
