import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Time } from './common.ts'
import { anyOf, may } from './permissions.ts'

export const maintenanceLimits = {
  /** days */
  lengthMax: 366,
  /** of an account that are not over */
  ofAccountMax: 200,
} as const

/** A time in which work is done somewhere. */
export const AlarmMaintenance = z.object({
  id: Id,
  accountId: Id,
  accountName: z.string(),
  /** with everything below it; without a twin or group: the whole account with those below it */
  twinId: Id.nullable(),
  twinTitle: z.string().nullable(),
  /** only the devices that are in this smart group when an alarm opens */
  groupId: Id.nullable(),
  groupTitle: z.string().nullable(),
  title: z.string(),
  startsAt: Time,
  endsAt: Time,
  createdBy: z.string(),
  /** alarms that opened in it and are open */
  openAlarms: z.int(),
})
export type AlarmMaintenance = z.infer<typeof AlarmMaintenance>

const read = anyOf(may('VirtualDevice', 'read'), may('DigitalTwin', 'read'))
const manage = anyOf(may('VirtualDevice', 'manage'), may('DigitalTwin', 'write'))

/**
 * Alarms that open during maintenance are in the alarm log, but cause no notifications; those that are still open at its end count
 * from then on.
 */
export const alarmMaintenance = {
  /** Those that are not over, the next first; with `past` those that are, the latest first. */
  list: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/alarm-logs/maintenance',
      tags: ['alarms'],
      summary: 'Maintenance windows',
    })
    .input(z.object({ ...Paging, past: z.boolean().default(false) }))
    .output(pageOf(AlarmMaintenance)),
  /** @throws DTWIN_NOT_FOUND, SMART_GROUP_NOT_FOUND, TENANT_NOT_FOUND, MAINTENANCE_TIMES_INVALID, MAINTENANCE_LIMIT */
  create: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/alarm-logs/maintenance',
      tags: ['alarms'],
      summary: 'Plan maintenance',
      successStatus: 201,
    })
    .input(
      z
        .object({
          /** of the account, if no twin or group is named */
          accountId: Id,
          twinId: Id.nullable(),
          groupId: Id.nullable().default(null),
          title: z.string().trim().min(1).max(200),
          startsAt: Time,
          endsAt: Time,
        })
        .refine(({ twinId, groupId }) => twinId === null || groupId === null, {
          path: ['groupId'],
          message: 'not with a twin',
        }),
    )
    .output(AlarmMaintenance),
  /** Ends it now; one that has not begun is deleted. @throws NOT_FOUND */
  end: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/alarm-logs/maintenance/{id}/end',
      tags: ['alarms'],
      summary: 'End maintenance',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}
