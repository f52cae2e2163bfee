import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'
import { may } from './permissions.ts'

export const systemLogLimits = {
  /** entries */
  keptMax: 100_000,
  keptDays: 30,
} as const

export const systemLogLevels = ['warning', 'error'] as const

/** A warning or an error of the server. */
export const SystemLogEntry = z.object({
  id: Id,
  at: Time,
  level: z.enum(systemLogLevels),
  /** the part of the server that wrote it, e.g. `connectors` */
  area: z.string(),
  /** name of the process */
  node: z.string(),
  message: z.string(),
  code: z.string().nullable(),
  /** where an error happened: its uppermost frames */
  stack: z.string().nullable(),
  /** of the request it happened in, as in the answer to the caller */
  requestId: z.string().nullable(),
  /** ids of the things it concerns, e.g. `{ connectorId: 3 }` */
  about: z.record(z.string(), z.int()),
  /** how often the same was logged at about this time */
  times: z.int(),
})
export type SystemLogEntry = z.infer<typeof SystemLogEntry>

export const systemLog = {
  /** Newest first; `areas` are those that have entries. */
  logs: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({
      method: 'GET',
      path: '/system/logs',
      tags: ['system'],
      summary: 'Warnings and errors of the server',
    })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        level: z.enum(systemLogLevels).optional(),
        area: z.string().max(50).optional(),
        requestId: z.string().max(100).optional(),
        from: Time.optional(),
        to: Time.optional(),
      }),
    )
    .output(pageOf(SystemLogEntry).extend({ areas: z.array(z.string()) })),
}
