import * as z from 'zod'
import { alarmSources, allAlarmCategories } from './alarms.ts'
import { Done, Id, operation, Paging, pageOf, Time, Version } from './common.ts'

/** Ways to notify users of alarms: email, their browsers, a webhook of their account. */
export const notificationChannels = ['mail', 'push', 'webhook'] as const

export const notificationLimits = {
  /** of one user */
  max: 20,
  /** alarms named in one message; more are counted */
  namedMax: 20,
} as const

/** A time of day: `07:30`. */
const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

const fields = {
  title: z.string().trim().min(1).max(100),
  active: z.boolean().default(true),
  channel: z.enum(notificationChannels),
  /** of the channel `webhook`, else null */
  connectorId: Id.nullable().default(null),
  /** false: warnings as well */
  errorsOnly: z.boolean().default(false),
  /** empty: all */
  categories: z.array(z.enum(allAlarmCategories)).max(allAlarmCategories.length).default([]),
  sources: z.array(z.enum(alarmSources)).max(alarmSources.length).default([]),
  /** only alarms of this twin and of everything below it */
  twinId: Id.nullable().default(null),
  /** only alarms of devices that are in this smart group then */
  groupId: Id.nullable().default(null),
  /** also when an alarm ends */
  resolved: z.boolean().default(false),
  /** all of a day in one message at this time; null: at once */
  digestAt: TimeOfDay.nullable().default(null),
  /** no notifications in this time, but after it; may pass midnight */
  quiet: z.object({ from: TimeOfDay, to: TimeOfDay }).nullable().default(null),
}

/** Which alarms a user is notified of, and when; times in the zone of their account. */
export const AlarmNotification = z.object({
  id: Id,
  version: Version,
  ...fields,
  connectorName: z.string().nullable(),
  groupTitle: z.string().nullable(),
  twinTitle: z.string().nullable(),
  timeZone: z.string(),
  lastSentAt: Time.nullable(),
})
export type AlarmNotification = z.infer<typeof AlarmNotification>

/** Own notifications. Only for the user; closed to keys and applications. */
export const alarmNotifications = {
  list: operation
    .meta({ rule: 'session' })
    .route({
      method: 'GET',
      path: '/alarm-logs/notifications',
      tags: ['alarms'],
      summary: 'Own notifications about alarms',
    })
    .input(z.object({ ...Paging }))
    .output(pageOf(AlarmNotification)),
  /** @throws NOTIFICATIONS_LIMIT, DTWIN_NOT_FOUND, SMART_GROUP_NOT_FOUND, NOTIFICATION_CONNECTOR_INVALID */
  create: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/alarm-logs/notifications',
      tags: ['alarms'],
      summary: 'Create a notification',
      successStatus: 201,
    })
    .input(z.object(fields))
    .output(AlarmNotification),
  /** @throws NOT_FOUND, VERSION_CONFLICT, DTWIN_NOT_FOUND, SMART_GROUP_NOT_FOUND, NOTIFICATION_CONNECTOR_INVALID */
  update: operation
    .meta({ rule: 'session' })
    .route({
      method: 'PUT',
      path: '/alarm-logs/notifications/{id}',
      tags: ['alarms'],
      summary: 'Change a notification',
    })
    .input(z.object({ id: Id, version: Version, ...fields }))
    .output(AlarmNotification),
  delete: operation
    .meta({ rule: 'session' })
    .route({
      method: 'DELETE',
      path: '/alarm-logs/notifications/{id}',
      tags: ['alarms'],
      summary: 'Delete a notification',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Sends an example now; it counts like any other message. @throws NOT_FOUND, NOTIFICATION_TOO_MANY */
  test: operation
    .meta({ rule: 'session' })
    .route({
      method: 'POST',
      path: '/alarm-logs/notifications/{id}/test',
      tags: ['alarms'],
      summary: 'Send an example',
    })
    .input(z.object({ id: Id }))
    .output(Done),
}
