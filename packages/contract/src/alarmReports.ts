import * as z from 'zod'
import { TimeZone } from './auth.ts'
import { Done, Id, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'
import { RecipientAddress, ruleMailLimits } from './rules/actions/email.ts'

export const alarmReportLimits = {
  ofAccountMax: 100,
  recipientsMax: 50,
  subjectLengthMax: 200,
  /** rows of each table; more are counted */
  rowsMax: 500,
  /** days for which HTML and PDF of what was sent can be downloaded */
  filesKeptDays: 90,
} as const

/** `device`: health and every alarm of the devices; `packetMonitoring`: packets, and only the alarms about them. */
export const alarmReportTypes = ['device', 'packetMonitoring'] as const
export type AlarmReportType = (typeof alarmReportTypes)[number]

/** When a report is sent: if one of these is true. */
export const alarmReportConditions = [
  'always',
  // an alarm with an error has opened since the last report
  'newErrors',
  'newErrorsOrWarnings',
  // an alarm with an error is open
  'activeErrors',
  'activeErrorsOrWarnings',
  // a device has fallen below its packet threshold since the last report
  'newThresholdAlarms',
  // … or has come back
  'newAndResolvedThresholdAlarms',
] as const
export type AlarmReportCondition = (typeof alarmReportConditions)[number]

export const alarmReportTables = [
  'summary',
  'openAlarms',
  'newAlarms',
  'resolvedAlarms',
  'deviceHealth',
  'packets',
] as const
export type AlarmReportTable = (typeof alarmReportTables)[number]

/** The languages of reports; dates and numbers are written as there. */
export const alarmReportLanguages = ['de-DE', 'en-US', 'en-GB'] as const
export type AlarmReportLanguage = (typeof alarmReportLanguages)[number]

/** The last day, seven days or month before a report. */
export const alarmReportPeriods = ['day', 'week', 'month'] as const
export type AlarmReportPeriod = (typeof alarmReportPeriods)[number]

const unique = (list: readonly unknown[]) => new Set(list).size === list.length

/** One line; a line break would begin another header of the mail. */
const Line = z
  .string()
  .trim()
  .min(1)
  .max(alarmReportLimits.subjectLengthMax)
  .regex(/^[^\p{Cc}\u2028\u2029]+$/u, 'one line')

const fields = {
  title: Title,
  /** of the report's account or an account below it */
  groupId: Id,
  type: z.enum(alarmReportTypes),
  conditions: z.array(z.enum(alarmReportConditions)).min(1).max(alarmReportConditions.length).refine(unique),
  language: z.enum(alarmReportLanguages).default('de-DE'),
  subject: Line,
  tables: z.array(z.enum(alarmReportTables)).min(1).max(alarmReportTables.length).refine(unique),
  period: z.enum(alarmReportPeriods).default('day'),
  /** days on which it is sent; 1: Monday */
  weekdays: z.array(z.int().min(1).max(7)).min(1).max(7).refine(unique).default([1, 2, 3, 4, 5, 6, 7]),
  timeZone: TimeZone.default('Europe/Berlin'),
  recipients: z
    .array(RecipientAddress.max(ruleMailLimits.addressLengthMax))
    .max(alarmReportLimits.recipientsMax)
    .default([]),
  /** a connector of the report's account that takes messages or publishes them; gets the report as JSON */
  connectorId: Id.nullable().default(null),
  /** of a connector that publishes */
  topic: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .regex(/^[^+#\0$][^+#\0]*$/, 'a topic without wildcards')
    .nullable()
    .default(null),
  active: z.boolean().default(true),
}

/** What is said of a new report. */
export const AlarmReportInput = z.object({ ...fields, accountId: Id })
export type AlarmReportInput = z.infer<typeof AlarmReportInput>

export const AlarmReport = z.object({
  id: Id,
  version: Version,
  accountId: Id,
  accountName: z.string(),
  ...fields,
  /** null: the group was deleted with its account */
  groupId: Id.nullable(),
  groupTitle: z.string().nullable(),
  timeZone: z.string(),
  connectorName: z.string().nullable(),
  /** the next time it is sent, if its condition is met then; null: it is not active */
  nextAt: Time.nullable(),
  lastSentAt: Time.nullable(),
  /** what became of it the last time; null: nothing yet */
  lastState: z.enum(['waiting', 'sent', 'nothing', 'missed', 'failed']).nullable(),
})
export type AlarmReport = z.infer<typeof AlarmReport>

/** `waiting`: it is being made; `nothing`: no condition was met; `missed`: the platform was not running that day. */
export const alarmReportStates = ['waiting', 'sent', 'nothing', 'missed', 'failed'] as const

/** Why a report was not sent, or only in part. */
export const alarmReportReasons = [
  'groupGone',
  'connectorGone',
  'noRecipient',
  'rendering',
  'interrupted',
] as const
export type AlarmReportReason = (typeof alarmReportReasons)[number]

/** What became of a report on a day. */
export const AlarmReportRun = z.object({
  id: Id,
  /** in the zone of the report: `2026-11-26` */
  day: z.string(),
  state: z.enum(alarmReportStates),
  reason: z.enum(alarmReportReasons).nullable(),
  at: Time,
  /** how many it was written to */
  recipients: z.int(),
  /** recipients it was not written to: not confirmed, declined, or too many mails */
  refused: z.int(),
  throughConnector: z.boolean(),
  /** of HTML and PDF; null: there are none any more */
  bytes: z.object({ html: z.int(), pdf: z.int() }).nullable(),
})
export type AlarmReportRun = z.infer<typeof AlarmReportRun>

const manage = may('VirtualDevice', 'manage')
const base = '/alarm-logs/reports'
const tags = ['alarms']

/** Reports about the alarms of smart groups, sent once a day between six and seven in the zone of the report. */
export const alarmReports = {
  list: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: base, tags, summary: 'Alarm reports' })
    .input(
      z.object({
        ...Paging,
        /** a part of the title */
        search: z.string().max(200).optional(),
        order_by: z.enum(['title', '-title', 'lastSentAt', '-lastSentAt']).default('title'),
      }),
    )
    .output(pageOf(AlarmReport)),
  get: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: `${base}/{id}`, tags, summary: 'Read an alarm report' })
    .input(z.object({ id: Id }))
    .output(AlarmReport),
  /**
   * Titles are unique in an account, ignoring case (ALARM_REPORT_ALREADY_EXISTS); an account may have 100
   * (ALARM_REPORT_LIMIT). Recipients outside the account are asked first, as those of rules.
   * @throws TENANT_NOT_FOUND, SMART_GROUP_NOT_FOUND, ALARM_REPORT_CONNECTOR_INVALID, ALARM_REPORT_NO_TARGET
   */
  create: operation
    .meta({ rule: manage })
    .route({ method: 'POST', path: base, tags, summary: 'Create an alarm report', successStatus: 201 })
    .input(AlarmReportInput)
    .output(AlarmReport),
  /** @throws as `create`, ALARM_REPORT_NOT_FOUND, VERSION_CONFLICT */
  update: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: `${base}/{id}`, tags, summary: 'Change an alarm report' })
    .input(z.object({ ...fields, id: Id, version: Version }))
    .output(AlarmReport),
  /** @throws ALARM_REPORT_NOT_FOUND */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: `${base}/{id}`, tags, summary: 'Delete an alarm report' })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Makes a report of what is known now, whether or not its condition is met, and sends it to the caller only.
   * @throws TENANT_NOT_FOUND, SMART_GROUP_NOT_FOUND, ALARM_REPORT_TEST_TOO_MANY
   */
  test: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ method: 'POST', path: `${base}/test-report-execution`, tags, summary: 'Try an alarm report' })
    .input(
      z.object({
        accountId: Id,
        ...fields,
        /** false: only shows it */
        send: z.boolean().default(true),
      }),
    )
    .output(
      z.object({
        /** the caller's address; null: it was not sent */
        sentTo: z.string().nullable(),
        subject: z.string(),
        /** whether it would be sent now */
        met: z.boolean(),
        html: z.string(),
        text: z.string(),
        /** base64; null unless it was sent */
        pdf: z.string().nullable(),
      }),
    ),
  /** What became of a report, newest first. @throws ALARM_REPORT_NOT_FOUND */
  runs: operation
    .meta({ rule: manage })
    .route({ method: 'GET', path: `${base}/{id}/runs`, tags, summary: 'History of an alarm report' })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(AlarmReportRun)),
  /** What was sent, as a download. @throws ALARM_REPORT_NOT_FOUND, NOT_FOUND */
  file: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: `${base}/{id}/runs/{runId}/file`,
      tags,
      summary: 'Download what an alarm report has sent',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id, runId: Id, format: z.enum(['html', 'pdf']).default('pdf') }))
    .output(z.object({ headers: z.object({ 'content-disposition': z.string() }), body: z.file() })),
}
