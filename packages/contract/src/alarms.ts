import * as z from 'zod'
import { Id, limits, listOf, operation, Paging, pageOf, Time } from './common.ts'
import { anyOf, may } from './permissions.ts'

export const alarmCategories = ['unknown', 'connectivity', 'battery', 'device', 'packet-threshold'] as const

export const Alarm = z.object({
  id: Id,
  raisedAt: Time,
  resolvedAt: Time.nullable(),
  severity: z.enum(['warning', 'error']),
  category: z.enum(alarmCategories),
  message: z.string(),
  accountId: Id,
  accountName: z.string(),
  /** the twin or device it is about */
  originId: Id,
  originTitle: z.string(),
  originCategory: z.enum(['digitalTwin', 'virtualDevice']),
  ruleId: Id.nullable(),
  ruleTitle: z.string().nullable(),
  /** who has taken care of it; null: nobody yet */
  acknowledged: z.object({ at: Time, by: z.string() }).nullable(),
  /** how many there are */
  comments: z.int(),
})
export type Alarm = z.infer<typeof Alarm>

export const alarmLimits = {
  /** alarms that are acknowledged or commented at once */
  batchMax: 500,
  commentsMax: 200,
} as const

/** What somebody says about an alarm. */
export const AlarmComment = z.object({ id: Id, at: Time, by: z.string(), text: z.string() })
export type AlarmComment = z.infer<typeof AlarmComment>

const CommentText = z.string().trim().min(1).max(limits.textLengthMax)
const AlarmIds = z.array(Id).min(1).max(alarmLimits.batchMax)

/** Who sees an alarm may take care of it: the right is checked for its twin or device. */
const rule = anyOf(may('VirtualDevice', 'read'), may('DigitalTwin', 'read'))

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
          /** true: somebody has taken care of it */
          acknowledged: z.boolean().optional(),
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
