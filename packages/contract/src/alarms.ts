import * as z from 'zod'
import { Id, listOf, operation, Paging, pageOf, Time } from './common.ts'
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
})
export type Alarm = z.infer<typeof Alarm>

export const alarmLogs = {
  /** Alarms of the twins and devices the caller may see, newest first. */
  list: operation
    .meta({ rule: anyOf(may('VirtualDevice', 'read'), may('DigitalTwin', 'read')), clientTimeoutMs: 60_000 })
    .route({ method: 'GET', path: '/alarm-logs', tags: ['alarms'], summary: 'Alarm log' })
    .input(
      z
        .object({
          ...Paging,
          search: z.string().max(200).optional(),
          accountIds: listOf(Id).optional(),
          status: z.enum(['resolved', 'unresolved']).optional(),
          severity: z.enum(['warning', 'error']).optional(),
          originId: Id.optional(),
          /** of a twin and of everything below it; only with `status` unresolved */
          inTwinId: Id.optional(),
        })
        .refine(({ inTwinId, status }) => inTwinId === undefined || status === 'unresolved', {
          path: ['inTwinId'],
          message: 'only with unresolved alarms',
        }),
    )
    .output(pageOf(Alarm).extend({ unresolved: z.int() })),
}
