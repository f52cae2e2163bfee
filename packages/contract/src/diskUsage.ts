import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Kinds of data that take space. */
export const diskKinds = [
  'packets',
  'values',
  'rollups',
  'letters',
  'executions',
  'alarms',
  'logs',
  'mails',
  'files',
  'exports',
  /** configuration, indexes of the database's own, queues */
  'other',
] as const
export const DiskKind = z.enum(diskKinds)
export type DiskKind = z.infer<typeof DiskKind>

export const diskUsageLimits = {
  /** accounts, devices and twins that are named: those that take most */
  largestMax: 20,
} as const

const byKind = z.partialRecord(DiskKind, z.number())

export const DiskUsage = z.object({
  measuredAt: Time,
  /** of the database, in bytes */
  bytes: z.number(),
  /** largest first */
  kinds: z.array(
    z.object({
      kind: DiskKind,
      bytes: z.number(),
      /** estimated by the database */
      rows: z.number(),
      /** bytes; null: not known before there are measurements for a day */
      growthPerDay: z.number().nullable(),
    }),
  ),
  /** bytes; null: not known before there are measurements for a day */
  growthPerDay: z.number().nullable(),
  /** where the database lies; null: on a server of its own */
  disk: z.object({ freeBytes: z.number(), totalBytes: z.number() }).nullable(),
  /** when nothing will be free any more; null: not known, or it does not grow */
  fullAt: Time.nullable(),
  /** estimated from a part of the rows; largest first */
  accounts: z.array(z.object({ id: Id, name: z.string(), bytes: z.number(), byKind })),
  /** devices and twins; estimated from a part of the rows; largest first */
  twins: z.array(
    z.object({
      id: Id,
      title: z.string(),
      category: z.enum(['virtualDevice', 'digitalTwin']),
      accountName: z.string(),
      bytes: z.number(),
      byKind,
    }),
  ),
})
export type DiskUsage = z.infer<typeof DiskUsage>

const meta = { rule: may('super.system', 'manage') }

export const diskUsage = {
  /** What takes how much space, as measured every six hours; null: not measured yet. */
  read: operation
    .meta(meta)
    .route({ method: 'GET', path: '/system/disk-usage', tags: ['system'], summary: 'What uses the disk' })
    .output(z.object({ usage: DiskUsage.nullable() })),
  /** Measures it now, unless that was done within the last minute. */
  measure: operation
    .meta({ ...meta, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/system/disk-usage/measure',
      tags: ['system'],
      summary: 'Measure what uses the disk',
    })
    .output(z.object({ usage: DiskUsage })),
}
