import * as z from 'zod'
import { Zone } from './accounts.ts'
import { Done, Id, Json, operation, Paging, pageOf, Time, Version } from './common.ts'
import {
  ExportFormat,
  ExportFormatting,
  ExportSelection,
  ExportValues,
  exportLimits,
  mayExport,
  rangeUnits,
} from './exports.ts'
import { FileTarget, FileTargetSecret, fileTargetFailures, SftpTarget } from './fileTargets.ts'
import { RecipientAddress, ruleMailLimits } from './rules/actions/email.ts'

export const exportScheduleLimits = {
  ofAccountMax: 100,
  targetsMax: 5,
  recipientsMax: 50,
  topicLengthMax: 300,
  /** of additional JSON for a connector, as text */
  forwardLengthMax: 4_000,
  /** a larger file is not attached to a mail but linked; bytes */
  attachedBytesMax: 10_000_000,
  /** what the files of one mail may have in total, for all of its recipients; bytes */
  attachedTotalMax: 60_000_000,
  /** a text file up to this size is a part of the message to a connector; bytes */
  contentBytesMax: 65_536,
  /** days for which a secret link to a file is valid */
  linkDays: 14,
  /** attempts to deliver a file to a target */
  attemptsMax: 3,
} as const

const DayTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'HH:MM')
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/** When a schedule runs, in its zone. A time that the clock skips is later by as much; one that comes twice counts once. */
export const ExportFrequency = z.discriminatedUnion('every', [
  /** at a minute of every hour */
  z.object({ every: z.literal('hour'), minute: z.int().min(0).max(59) }),
  z.object({ every: z.literal('day'), time: DayTime }),
  /** 1: Monday */
  z.object({ every: z.literal('week'), weekday: z.int().min(1).max(7), time: DayTime }),
  z.object({
    every: z.literal('month'),
    day: z.union([z.int().min(1).max(28), z.literal('last')]),
    time: DayTime,
  }),
  /** on 29 February, in years without one on the 28th */
  z
    .object({
      every: z.literal('year'),
      month: z.int().min(1).max(12),
      day: z.int().min(1).max(31),
      time: DayTime,
    })
    .refine(({ month, day }) => day <= (daysOfMonth[month - 1] ?? 0), {
      path: ['day'],
      message: 'no day of the month',
    }),
])
export type ExportFrequency = z.infer<typeof ExportFrequency>

/** The period of an export, relative to when it is due. */
export const ScheduledRange = z.object({ which: z.enum(['current', 'last']), unit: z.enum(rangeUnits) })
export type ScheduledRange = z.infer<typeof ScheduledRange>

/** Values of devices or twins, as of a bulk export. */
const ScheduledValues = z.object({
  kind: z.literal('values'),
  selection: ExportSelection,
  /** identifiers of states; absent: all */
  stateKeys: z.array(z.string().min(1).max(100)).min(1).max(exportLimits.keysMax).optional(),
  values: ExportValues.default({ kind: 'raw' }),
  format: ExportFormat.default('csv'),
  /** packed; XLSX is as it is */
  zip: z.boolean().default(false),
  /** its zone is that of the schedule */
  formatting: ExportFormatting.prefault({}),
})

/** A dashboard as PDF, with the values of the period. */
const ScheduledDashboard = z.object({
  kind: z.literal('dashboard'),
  dashboardId: Id,
  language: z.enum(['de', 'en']).default('de'),
})

/** What is exported. */
export const ScheduledContent = z.discriminatedUnion('kind', [ScheduledValues, ScheduledDashboard])
export type ScheduledContent = z.infer<typeof ScheduledContent>

export const attachings = ['zip', 'link'] as const

const MailTarget = z.object({
  kind: z.literal('mail'),
  recipients: z
    .array(RecipientAddress.max(ruleMailLimits.addressLengthMax))
    .min(1)
    .max(exportScheduleLimits.recipientsMax),
  /** `zip`: attached, packed; a file that is too large for a mail is linked. `link`: only linked */
  attach: z.enum(attachings).default('zip'),
})

const Forward = z
  .record(z.string().min(1).max(100), Json)
  .refine((extra) => JSON.stringify(extra).length <= exportScheduleLimits.forwardLengthMax, 'too long')

const ConnectorTarget = z.object({
  kind: z.literal('connector'),
  /** of the schedule's account, takes messages or publishes them */
  connectorId: Id,
  /** of a connector that publishes */
  topic: z
    .string()
    .trim()
    .min(1)
    .max(exportScheduleLimits.topicLengthMax)
    .regex(/^[^+#\0$][^+#\0]*$/, 'a topic without wildcards')
    .nullable()
    .default(null),
  /** JSON that is merged into the message; what the platform says itself comes first */
  forward: Forward.nullable().default(null),
})

const fileTarget = { kind: z.literal('file'), target: FileTarget }

/** Where a file is delivered. */
export const ExportTargetInput = z.discriminatedUnion('kind', [
  MailTarget,
  ConnectorTarget,
  z.object({
    ...fileTarget,
    /** absent: none is needed, or that of the schedule which is copied */
    secret: FileTargetSecret.optional(),
  }),
])
export type ExportTargetInput = z.infer<typeof ExportTargetInput>

/** The same as it is shown. */
export const ExportTarget = z.discriminatedUnion('kind', [
  MailTarget,
  ConnectorTarget.extend({
    /** null: it was deleted */
    connectorName: z.string().nullable(),
  }),
  z.object({ ...fileTarget, hasSecret: z.boolean() }),
])
export type ExportTarget = z.infer<typeof ExportTarget>
export const exportTargetKinds = ['mail', 'connector', 'file'] as const
export type ExportTargetKind = (typeof exportTargetKinds)[number]

const ScheduleTitle = z.string().trim().min(exportLimits.titleMin).max(exportLimits.titleMax)

const fields = {
  title: ScheduleTitle,
  content: ScheduledContent,
  range: ScheduledRange,
  frequency: ExportFrequency,
  timeZone: Zone.default('Europe/Berlin'),
  active: z.boolean().default(true),
}

/** What is said of a new export schedule. */
export const ExportScheduleInput = z.object({
  ...fields,
  accountId: Id,
  targets: z.array(ExportTargetInput).min(1).max(exportScheduleLimits.targetsMax),
  /** a schedule whose targets have secrets that are not given again: by position, for the same kind and host */
  copyOf: Id.optional(),
})
export type ExportScheduleInput = z.infer<typeof ExportScheduleInput>

/**
 * `waiting`: due, not begun; `exporting`: its background job runs; `delivering`: to its targets; `done`: delivered to all;
 * `partly`: to some; `empty`: nothing was selected; `missed`: the platform was not running.
 */
export const exportRunStates = [
  'waiting',
  'exporting',
  'delivering',
  'done',
  'partly',
  'empty',
  'missed',
  'failed',
] as const
export type ExportRunState = (typeof exportRunStates)[number]

/** Why a run failed. */
export const exportRunReasons = [
  // who created it was deleted, or has no access any more
  'ownerGone',
  // … may read nothing in the account any more
  'ownerRights',
  // the smart group, twin, driver or dashboard is gone
  'selectionGone',
  'tooManyColumns',
  'tooManyIntervals',
  // the server has no Chromium to print with
  'noBrowser',
  // the account has too many unfinished background jobs
  'busy',
  'canceled',
  'jobFailed',
  // to none of its targets
  'notDelivered',
  'interrupted',
] as const
export type ExportRunReason = (typeof exportRunReasons)[number]

/** Why a file did not reach a target. */
export const exportDeliveryReasons = [
  ...fileTargetFailures,
  'fileGone',
  'connectorGone',
  'connectorDisabled',
  // the connection of the connector is down
  'notConnected',
  // the other side of the connector does not take the message
  'rejected',
  // neither the account nor the platform has one
  'noMailServer',
  // nobody who agreed to get mails, or within the limit of mails
  'noRecipient',
  'secretGone',
  'interrupted',
  'internal',
] as const
export type ExportDeliveryReason = (typeof exportDeliveryReasons)[number]

/** What became of a file at one target. */
export const ExportDelivery = z.object({
  kind: z.enum(exportTargetKinds),
  /** recipients, the connector or the server */
  name: z.string(),
  state: z.enum(['waiting', 'sent', 'failed']),
  attempts: z.int(),
  reason: z.enum(exportDeliveryReasons).nullable(),
  /** what the other side said */
  detail: z.string(),
  /** recipients of a mail that got none: not confirmed, declined, or too many mails */
  refused: z.int(),
  at: Time.nullable(),
})
export type ExportDelivery = z.infer<typeof ExportDelivery>

/** What became of a schedule at one time. */
export const ExportRun = z.object({
  id: Id,
  dueAt: Time,
  /** started by somebody rather than by the clock */
  manual: z.boolean(),
  state: z.enum(exportRunStates),
  reason: z.enum(exportRunReasons).nullable(),
  detail: z.string(),
  /** of its values; null: none was read */
  period: z.object({ start: Time, end: Time }).nullable(),
  /** bytes */
  size: z.int().nullable(),
  rows: z.int().nullable(),
  fileName: z.string().nullable(),
  /** its background job; null: none, or it was deleted */
  jobId: Id.nullable(),
  /** the file can still be downloaded from the background job, by those who may */
  hasFile: z.boolean(),
  endedAt: Time.nullable(),
  deliveries: z.array(ExportDelivery),
})
export type ExportRun = z.infer<typeof ExportRun>

export const ExportSchedule = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  ...fields,
  timeZone: z.string(),
  targets: z.array(ExportTarget),
  /** null: it is not active */
  nextAt: Time.nullable(),
  /** null: it has not run yet */
  last: z
    .object({ dueAt: Time, state: z.enum(exportRunStates), reason: z.enum(exportRunReasons).nullable() })
    .nullable(),
  /** whose rights its runs have */
  ownerName: z.string(),
  /** by the caller */
  editable: z.boolean(),
  createdAt: Time,
})
export type ExportSchedule = z.infer<typeof ExportSchedule>

const tags = ['export schedules']
const base = '/export-schedules'

/** Exports that the clock starts, with the rights of who created them; their files are delivered to targets. */
export const exportSchedules = {
  list: operation
    .meta({ rule: mayExport })
    .route({ method: 'GET', path: base, tags, summary: 'Export schedules' })
    .input(
      z.object({
        ...Paging,
        /** a part of the title */
        search: z.string().max(200).optional(),
        order_by: z.enum(['title', '-title', 'nextAt', '-nextAt']).default('title'),
      }),
    )
    .output(pageOf(ExportSchedule)),
  /** @throws EXPORT_SCHEDULE_NOT_FOUND */
  get: operation
    .meta({ rule: mayExport })
    .route({ method: 'GET', path: `${base}/{id}`, tags, summary: 'Read an export schedule' })
    .input(z.object({ id: Id }))
    .output(ExportSchedule),
  /**
   * @throws TENANT_NOT_FOUND, EXPORT_SCHEDULE_LIMIT, EXPORT_SCHEDULE_CONNECTOR_INVALID, EXPORT_SCHEDULE_SECRET_MISSING,
   * EXPORT_SCHEDULE_NOT_FOUND and NO_PERMISSION for `copyOf`, EXPORT_TOO_MANY_COLUMNS, EXPORT_TOO_MANY_INTERVALS
   */
  create: operation
    .meta({ rule: mayExport })
    .route({ method: 'POST', path: base, tags, summary: 'Create an export schedule', successStatus: 201 })
    .input(ExportScheduleInput)
    .output(ExportSchedule),
  /**
   * Changes its title, or switches it on or off; for anything else it is copied.
   * @throws EXPORT_SCHEDULE_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT
   */
  update: operation
    .meta({ rule: mayExport })
    .route({ method: 'PUT', path: `${base}/{id}`, tags, summary: 'Rename or switch an export schedule' })
    .input(z.object({ id: Id, version: Version, title: ScheduleTitle, active: z.boolean() }))
    .output(ExportSchedule),
  /** @throws EXPORT_SCHEDULE_NOT_FOUND, NO_PERMISSION */
  delete: operation
    .meta({ rule: mayExport })
    .route({ method: 'DELETE', path: `${base}/{id}`, tags, summary: 'Delete an export schedule' })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Runs it now, whether or not it is active, as it would run by the clock.
   * @throws EXPORT_SCHEDULE_NOT_FOUND, NO_PERMISSION, EXPORT_SCHEDULE_RUNNING
   */
  run: operation
    .meta({ rule: mayExport })
    .route({
      method: 'POST',
      path: `${base}/{id}/run`,
      tags,
      summary: 'Run an export schedule',
      successStatus: 201,
    })
    .input(z.object({ id: Id }))
    .output(ExportRun),
  /** What became of a schedule, newest first. @throws EXPORT_SCHEDULE_NOT_FOUND */
  runs: operation
    .meta({ rule: mayExport })
    .route({ method: 'GET', path: `${base}/{id}/runs`, tags, summary: 'History of an export schedule' })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(ExportRun)),
  /** The next times of a frequency, and the periods they would have, to show them while it is chosen. */
  preview: operation
    .meta({ rule: mayExport, look: 'asks' })
    .route({ method: 'POST', path: `${base}/preview`, tags, summary: 'When a schedule would run' })
    .input(z.object({ frequency: ExportFrequency, range: ScheduledRange, timeZone: Zone }))
    .output(z.array(z.object({ at: Time, start: Time, end: Time }))),
  /**
   * Asks an SFTP server for the fingerprint of its key, or tries a target: stores a small file and deletes it again. `left`
   * is its name if the user may not delete it.
   * @throws TENANT_NOT_FOUND, EXPORT_SCHEDULE_SECRET_MISSING, EXPORT_SCHEDULE_TARGET_FAILED with the reason, and
   * EXPORT_SCHEDULE_TEST_TOO_MANY
   */
  checkTarget: operation
    .meta({ rule: mayExport, clientTimeoutMs: 90_000 })
    .route({ method: 'POST', path: `${base}/check-target`, tags, summary: 'Try a target for files' })
    .input(
      z.discriminatedUnion('what', [
        z.object({ what: z.literal('fingerprint'), ...SftpTarget.pick({ host: true, port: true }).shape }),
        z.object({
          what: z.literal('target'),
          target: FileTarget,
          secret: FileTargetSecret.optional(),
          /** of the schedule that is copied, see `create` */
          copyOf: Id.optional(),
          position: z
            .int()
            .min(0)
            .max(exportScheduleLimits.targetsMax - 1)
            .default(0),
        }),
      ]),
    )
    .output(z.object({ fingerprint: z.string().nullable(), left: z.string().nullable() })),
  /**
   * The file behind a secret link. EXPORT_LINK_ENDED when it has expired or its file was deleted.
   */
  file: operation
    .meta({ rule: 'public', guessed: true, clientTimeoutMs: 210_000 })
    .route({
      method: 'GET',
      path: '/export-files/{token}',
      tags,
      summary: 'Download a file by a secret link',
      outputStructure: 'detailed',
    })
    .input(z.object({ token: z.string().min(1).max(100) }))
    .output(
      z.object({
        headers: z.record(z.string(), z.string()),
        /** the file */
        body: z.unknown(),
      }),
    ),
}
