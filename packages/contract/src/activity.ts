import * as z from 'zod'
import { Activity } from './auth.ts'
import { Id, listOf, operation, Paging, pageOf, Time } from './common.ts'

export const activityLog = {
  /** Who changed what, newest first, of the accounts the caller manages. */
  list: operation
    .meta({ rule: { any: [{ subject: 'all', action: 'manage' }] } })
    .route({ method: 'GET', path: '/activityLog', tags: ['activity'], summary: 'Activity log' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        subject: z.string().max(50).optional(),
        objectId: Id.optional(),
        from: Time.optional(),
        to: Time.optional(),
      }),
    )
    .output(pageOf(Activity)),
}
