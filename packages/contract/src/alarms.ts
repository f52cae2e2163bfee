import * as z from 'zod'
import { Zone } from './accounts.ts'
import { Done, Id, Json, limits, listOf, operation, orderBy, Paging, pageOf, Time } from './common.ts'
import { anyOf, may } from './permissions.ts'
import { OperationalStatus } from './virtualdevices.ts'

export const alarmCategories = ['unknown', 'connectivity', 'battery', 'device', 'packet-threshold'] as const
/** Also of alarms that rules do not raise. */
export const allAlarmCategories = [...alarmCategories, 'platform'] as const
/** What raises alarms. */
export const alarmSources = ['rule', 'health', 'packet-threshold', 'connector', 'platform'] as const
/** What alarms are about. */
export const alarmOrigins = ['digitalTwin', 'virtualDevice', 'connector', 'platform'] as const

export const Alarm = z.object({
  id: Id,
  raisedAt: Time,
  resolvedAt: Time.nullable(),
  severity: z.enum(['warning', 'error']),
  category: z.enum(allAlarmCategories),
  source: z.enum(alarmSources),
  message: z.string(),
  /** values of the message, for a text in the reader's language */
  details: z.record(z.string(), Json),
  accountId: Id,
  accountName: z.string(),
  /** the twin, device or connector it is about; null: the platform */
  originId: Id.nullable(),
  /** empty for the platform */
  originTitle: z.string(),
  originCategory: z.enum(alarmOrigins),
  /** of its device */
  operationalStatus: OperationalStatus.nullable(),
  /** how often it opened: one that is back soon is the same alarm */
  occurrences: z.int(),
  /** when it opened for the last time */
  lastRaisedAt: Time,
  ruleId: Id.nullable(),
  ruleTitle: z.string().nullable(),
  /** who has taken care of it; null: nobody yet */
  acknowledged: z.object({ at: Time, by: z.string() }).nullable(),
  /** whose task it is; null: nobody's */
  assigned: z.object({ userId: Id.nullable(), name: z.string() }).nullable(),
  /** set aside until then; null: not, or the time is over */
  snoozed: z.object({ until: Time, by: z.string() }).nullable(),
  /** it opened during maintenance that is not over */
  maintained: z.boolean(),
  /** how many there are */
  comments: z.int(),
})
export type Alarm = z.infer<typeof Alarm>

export const alarmLimits = {
  /** alarms that are acknowledged or commented at once */
  batchMax: 500,
  commentsMax: 200,
  /** days that an alarm can be set aside for */
  snoozeDaysMax: 90,
} as const

/**
 * How alarms of an account and of those below it behave, in seconds. They do not apply to alarms of rules, whose
 * conditions have delays of their own.
 */
export const AlarmTimes = z.object({
  /** a cause must last so long before its alarm opens */
  openAfterS: z.int().min(0).max(86_400),
  /** and be over for so long before it ends */
  resolveAfterS: z.int().min(0).max(86_400),
  /** one that is back within this time is the same alarm, without another notification */
  reopenWithinS: z.int().min(0).max(604_800),
})
export type AlarmTimes = z.infer<typeof AlarmTimes>

/** What somebody says about an alarm. */
export const AlarmComment = z.object({ id: Id, at: Time, by: z.string(), text: z.string() })
export type AlarmComment = z.infer<typeof AlarmComment>

const CommentText = z.string().trim().min(1).max(limits.textLengthMax)
const AlarmIds = z.array(Id).min(1).max(alarmLimits.batchMax)

export const alarmAnalysis = {
  /** days of the longest period */
  daysMax: 92,
  /** twins, devices and connectors that are named: those with the most alarms, and with the longest */
  originsMax: 20,
} as const

/** How often something had alarms, and for how long. */
const AlarmedOrigin = z.object({
  /** null: the platform */
  originId: Id.nullable(),
  originTitle: z.string(),
  originCategory: z.enum(alarmOrigins),
  accountId: Id,
  accountName: z.string(),
  alarms: z.int(),
  occurrences: z.int(),
  seconds: z.number(),
})

const alarmSums = {
  alarms: z.int(),
  /** how often they opened: one that is back soon is the same alarm */
  occurrences: z.int(),
  /** how long they were open together in the period, in seconds */
  seconds: z.number(),
}

/** Sums of the alarms of a period, by the time they were raised. */
export const AlarmAnalysis = z.object({
  from: Time,
  to: Time,
  ...alarmSums,
  /** not resolved yet */
  open: z.int(),
  /** of as long a period just before */
  previous: z.object(alarmSums),
  /** days with alarms, oldest first */
  days: z.array(z.object({ day: z.iso.date(), errors: z.int(), warnings: z.int() })),
  /** those with the most alarms first */
  origins: z.array(AlarmedOrigin),
  /** those whose alarms were open for the longest time first */
  longest: z.array(AlarmedOrigin),
})
export type AlarmAnalysis = z.infer<typeof AlarmAnalysis>

/** Who sees an alarm may take care of it: the right is checked for its twin or device. */
const rule = anyOf(may('VirtualDevice', 'read'), may('DigitalTwin', 'read'))

const AlarmOrder = orderBy(['raisedAt', 'duration', 'severity'])

export const alarmLogs = {
  /** Alarms of the twins and devices the caller may see, newest first. */
  list: operation
    .meta({ rule, clientTimeoutMs: 60_000 })
    .route({ method: 'GET', path: '/alarm-logs', tags: ['alarms'], summary: 'Alarm log' })
    .input(
      z
        .object({
          ...Paging,
          search: z.string().max(200).optional(),
          accountIds: listOf(Id).optional(),
          status: z.enum(['resolved', 'unresolved']).optional(),
          severity: z.enum(['warning', 'error']).optional(),
          categories: listOf(z.enum(allAlarmCategories)).optional(),
          sources: listOf(z.enum(alarmSources)).optional(),
          /** of devices with one of these */
          operationalStatus: listOf(OperationalStatus).optional(),
          /** true: somebody has taken care of it */
          acknowledged: z.boolean().optional(),
          /** whose task it is: the caller's, somebody's, nobody's */
          assigned: z.enum(['me', 'anyone', 'nobody']).optional(),
          /** true: only what is set aside; false: nothing of that */
          snoozed: z.boolean().optional(),
          /** true: only what opened during maintenance; false: nothing of that */
          maintained: z.boolean().optional(),
          orderBy: AlarmOrder.default('-raisedAt'),
          originId: Id.optional(),
          /** only these */
          ids: listOf(Id).optional(),
          /** of a twin and of everything below it; only with `status` unresolved */
          inTwinId: Id.optional(),
        })
        .refine(({ inTwinId, status }) => inTwinId === undefined || status === 'unresolved', {
          path: ['inTwinId'],
          message: 'only with unresolved alarms',
        }),
    )
    .output(pageOf(Alarm).extend({ unresolved: z.int() })),

  /**
   * How often, how long and of what: sums of the alarms the caller may see, of the last days.
   * @throws SMART_GROUP_NOT_FOUND
   */
  analysis: operation
    .meta({ rule, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({ method: 'GET', path: '/alarm-logs/analysis', tags: ['alarms'], summary: 'Analysis of alarms' })
    .input(
      z.object({
        /** the day that has begun included */
        days: z.coerce.number().pipe(z.int().min(1).max(alarmAnalysis.daysMax)).default(30),
        /** in which days begin */
        timeZone: Zone.default('Europe/Berlin'),
        accountIds: listOf(Id).optional(),
        severity: z.enum(['warning', 'error']).optional(),
        categories: listOf(z.enum(allAlarmCategories)).optional(),
        sources: listOf(z.enum(alarmSources)).optional(),
        /** only of the devices of this smart group */
        groupId: Id.optional(),
      }),
    )
    .output(AlarmAnalysis),

  /** Notes that the caller takes care of alarms, open or resolved. Those that somebody has acknowledged already stay as they are. */
  acknowledge: operation
    .meta({ rule })
    .route({
      method: 'POST',
      path: '/alarm-logs/acknowledge',
      tags: ['alarms'],
      summary: 'Acknowledge alarms',
    })
    .input(z.object({ ids: AlarmIds }))
    .output(z.object({ acknowledged: z.int() })),
  /**
   * Assigns alarms to a user who can see them; null: to nobody. Users are notified of what others assign to them.
   * @throws ALARM_ASSIGNEE_INVALID
   */
  assign: operation
    .meta({ rule })
    .route({ method: 'POST', path: '/alarm-logs/assign', tags: ['alarms'], summary: 'Assign alarms' })
    .input(z.object({ ids: AlarmIds, userId: Id.nullable() }))
    .output(z.object({ assigned: z.int() })),
  /** Users who can be given an alarm: they see it. Paged, by name. */
  assignees: operation
    .meta({ rule })
    .route({
      method: 'GET',
      path: '/alarm-logs/{id}/assignees',
      tags: ['alarms'],
      summary: 'Who can take care of an alarm',
    })
    .input(z.object({ id: Id, ...Paging, search: z.string().max(200).optional() }))
    .output(pageOf(z.object({ id: Id, name: z.string() }))),
  /**
   * Sets open alarms aside until a time, for everyone; null: they count again.
   * @throws ALARM_SNOOZE_INVALID
   */
  snooze: operation
    .meta({ rule })
    .route({ method: 'POST', path: '/alarm-logs/snooze', tags: ['alarms'], summary: 'Set alarms aside' })
    .input(z.object({ ids: AlarmIds, until: Time.nullable() }))
    .output(z.object({ snoozed: z.int() })),
  /** How alarms of an account behave, and where that comes from. */
  times: operation
    .meta({ rule: may('VirtualDevice', 'read') })
    .route({
      method: 'GET',
      path: '/alarm-logs/settings/{accountId}',
      tags: ['alarms'],
      summary: 'Delays of alarms',
    })
    .input(z.object({ accountId: Id }))
    .output(
      AlarmTimes.extend({
        /** the account they are set at; null: they are the defaults */
        fromAccount: z.object({ id: Id, name: z.string() }).nullable(),
      }),
    ),
  /** Null: as above the account. */
  setTimes: operation
    .meta({ rule: may('VirtualDevice', 'manage') })
    .route({
      method: 'PUT',
      path: '/alarm-logs/settings/{accountId}',
      tags: ['alarms'],
      summary: 'Set delays of alarms',
    })
    .input(z.object({ accountId: Id, times: AlarmTimes.nullable() }))
    .output(Done),
  /** Comments on an alarm, oldest first. */
  comments: operation
    .meta({ rule })
    .route({
      method: 'GET',
      path: '/alarm-logs/{id}/comments',
      tags: ['alarms'],
      summary: 'Comments on an alarm',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(AlarmComment)),
  /** @throws ALARM_COMMENTS_LIMIT */
  comment: operation
    .meta({ rule })
    .route({
      method: 'POST',
      path: '/alarm-logs/{id}/comments',
      tags: ['alarms'],
      summary: 'Comment on an alarm',
    })
    .input(z.object({ id: Id, text: CommentText }))
    .output(AlarmComment),
  /**
   * The same comment on several alarms, which can be acknowledged with it.
   * @throws ALARM_COMMENTS_LIMIT
   */
  commentBatch: operation
    .meta({ rule })
    .route({
      method: 'POST',
      path: '/alarm-logs/comments/batch',
      tags: ['alarms'],
      summary: 'Comment on several alarms',
    })
    .input(z.object({ ids: AlarmIds, text: CommentText, acknowledge: z.boolean().default(false) }))
    .output(z.object({ commented: z.int(), acknowledged: z.int() })),
}
