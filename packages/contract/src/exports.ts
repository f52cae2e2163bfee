import * as z from 'zod'
import { Zone } from './accounts.ts'
import {
  Done,
  FileFormat,
  fileFormats,
  Id,
  operation,
  Paging,
  pageOf,
  Time,
  Title,
  Version,
} from './common.ts'
import { BackgroundJob, readJobs } from './jobs.ts'
import type { AccessRule } from './permissions.ts'
import { AggregationDuration, readBoth } from './series.ts'
import { TwinFilters } from './twins.ts'
import { DeviceFilters } from './virtualdevices.ts'

export const exportLimits = {
  /** devices or twins that are named one by one */
  idsMax: 500,
  /** identifiers of states */
  keysMax: 100,
  columnsMax: 120,
  /** columns of values when a row has all values of a time */
  valueColumnsMax: 200,
  /** rows of one export; XLSX has room for fewer */
  rowsMax: 20_000_000,
  xlsxRowsMax: 1_048_000,
  /** intervals of one state */
  intervalsMax: 200_000,
  titleMin: 5,
  titleMax: 100,
  /** a file is deleted after this many months */
  keptMonths: 6,
  /** saved exports of an account */
  definitionsMax: 200,
} as const

export const exportFormats = fileFormats
export const ExportFormat = FileFormat
export type ExportFormat = FileFormat

/** Columns that describe a row; those with values are `state:<identifier>` in the wide layout. */
export const exportColumns = [
  'time',
  'object',
  'objectId',
  'externalId',
  'account',
  'state',
  'stateId',
  'key',
  'value',
  'unit',
  'measuredAt',
] as const
export type ExportColumn = (typeof exportColumns)[number]

const ColumnKey = z.union([z.enum(exportColumns), z.templateLiteral(['state:', z.string().min(1).max(100)])])

export const exportLayouts = ['long', 'wide'] as const
export const exportTimeFormats = ['iso', 'local', 'german', 'milliseconds'] as const

/** How the rows of an export are written. */
export const ExportFormatting = z.object({
  /** `long`: a row for each value; `wide`: a row for each device or twin and time, so one for each packet */
  layout: z.enum(exportLayouts).default('long'),
  /** in this order, with these titles; absent: all that belong to the layout */
  columns: z
    .array(z.object({ key: ColumnKey, title: z.string().trim().min(1).max(100).optional() }))
    .min(1)
    .max(exportLimits.columnsMax)
    .optional(),
  /** a first row with titles; CSV and XLSX */
  header: z.boolean().default(true),
  /** absent: as spreadsheets of the language expect it; CSV */
  separator: z.enum([';', ',', '\t']).optional(),
  /** absent: as the language has it; CSV */
  decimal: z.enum(['.', ',']).optional(),
  /** `iso`: 2026-11-23T14:03:09.000+01:00, `local`: 2026-11-23 14:03:09, `german`: 23.11.2026 14:03:09; CSV */
  timeFormat: z.enum(exportTimeFormats).default('local'),
  /** of times, and of days, weeks and months */
  timeZone: Zone.default('Europe/Berlin'),
  language: z.enum(['de', 'en']).default('en'),
})
export type ExportFormatting = z.infer<typeof ExportFormatting>

export const rangeUnits = ['hour', 'day', 'week', 'month', 'year'] as const
/** A period: from one time to another, or relative to when the export begins. Weeks begin on Monday. */
export const ExportRange = z.union([
  z.object({ start: Time, end: Time }).refine(({ start, end }) => Date.parse(start) < Date.parse(end), {
    path: ['end'],
    message: 'not after start',
  }),
  /** `current`: from the beginning of the unit until now; `last`: the whole unit before it */
  z.object({ which: z.enum(['current', 'last']), unit: z.enum(rangeUnits) }),
])
export type ExportRange = z.infer<typeof ExportRange>

export const exportMethods = ['avg', 'min', 'max', 'sum', 'count', 'first', 'latest'] as const
/** Which values of a state are exported. */
export const ExportValues = z.discriminatedUnion('kind', [
  /** as they were stored */
  z.object({ kind: z.literal('raw') }),
  /** one for each interval that has values */
  z.object({
    kind: z.literal('interval'),
    method: z.enum(exportMethods),
    duration: AggregationDuration,
  }),
  /** the last value up to the end of each interval, however old: what a meter showed on the cut-off date */
  z.object({ kind: z.literal('reading'), duration: AggregationDuration }),
])
export type ExportValues = z.infer<typeof ExportValues>

/** Devices or twins, found again each time the export runs. */
export const ExportSelection = z.discriminatedUnion('of', [
  z.object({
    of: z.literal('virtualDevices'),
    filter: DeviceFilters.default({}),
    ids: z.array(Id).min(1).max(exportLimits.idsMax).optional(),
  }),
  z.object({
    of: z.literal('digitalTwins'),
    filter: TwinFilters.default({}),
    ids: z.array(Id).min(1).max(exportLimits.idsMax).optional(),
    /** this twin and all below it */
    within: Id.optional(),
  }),
  /** the devices with these drivers */
  z.object({ of: z.literal('deviceDrivers'), driverIds: z.array(Id).min(1).max(exportLimits.idsMax) }),
  z.object({ of: z.literal('smartGroup'), groupId: Id }),
])
export type ExportSelection = z.infer<typeof ExportSelection>

const StateKeys = z.array(z.string().min(1).max(100)).min(1).max(exportLimits.keysMax)

const options = {
  /** identifiers of states; absent: all */
  stateKeys: StateKeys.optional(),
  range: ExportRange,
  values: ExportValues.default({ kind: 'raw' }),
  format: ExportFormat.default('csv'),
  /** packed; XLSX is as it is */
  zip: z.boolean().default(false),
  formatting: ExportFormatting.prefault({}),
  /** an email when it is done */
  notify: z.boolean().default(false),
}

const JobTitle = z.string().trim().min(exportLimits.titleMin).max(exportLimits.titleMax)

/** Values of many devices or twins. */
export const BulkExport = z.object({ title: JobTitle, selection: ExportSelection, ...options })
export type BulkExport = z.infer<typeof BulkExport>

/** A saved export that can be run again, also by others who may see it. */
export const ExportDefinition = z.object({
  id: Id,
  title: z.string(),
  accountId: Id,
  accountName: z.string(),
  request: BulkExport,
  /** one that is not active cannot be run */
  active: z.boolean(),
  /** by the caller */
  editable: z.boolean(),
  createdName: z.string(),
  createdAt: Time,
  updatedAt: Time,
  /** when it was run last */
  lastRunAt: Time.nullable(),
  version: Version,
})
export type ExportDefinition = z.infer<typeof ExportDefinition>

/** Who may read devices or twins. */
export const mayExport: AccessRule = {
  any: [
    { subject: 'VirtualDevice', action: 'read' },
    { subject: 'VirtualDevice', action: 'manage' },
    { subject: 'DigitalTwin', action: 'read' },
    { subject: 'all', action: 'manage' },
  ],
}

const tags = ['background jobs']

/**
 * Exports of values as background jobs. A job reads what its user may read while it runs, page by page, and continues after
 * a restart where it was; its file can be downloaded for six months.
 */
export const exporting = {
  /** Values of one device or twin. DTWIN_NOT_FOUND, EXPORT_TOO_MANY_INTERVALS. */
  one: operation
    .meta({ rule: readBoth })
    .route({
      method: 'POST',
      path: '/background-runners/device-states-export',
      tags,
      summary: 'Export the values of a device or twin',
      successStatus: 201,
    })
    .input(z.object({ objectId: Id, title: JobTitle.optional(), ...options }))
    .output(BackgroundJob),
  /** Values of all devices or twins of a selection. EXPORT_NOTHING_SELECTED, EXPORT_TOO_MANY_INTERVALS. */
  bulk: operation
    .meta({ rule: mayExport })
    .route({
      method: 'POST',
      path: '/background-runners/bulk-device-states-export',
      tags,
      summary: 'Export the values of many devices or twins',
      successStatus: 201,
    })
    .input(BulkExport)
    .output(BackgroundJob),
  /** How many devices or twins a selection finds now, and the identifiers of their states, at most 500. */
  preview: operation
    .meta({ rule: mayExport, clientTimeoutMs: 30_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/background-runners/bulk-device-states-export/preview',
      tags,
      summary: 'What an export would find',
    })
    .input(z.object({ selection: ExportSelection }))
    .output(z.object({ objects: z.int(), keys: z.array(z.object({ key: z.string(), title: z.string() })) })),
  /** EXPORT_NO_FILE when there is none, or none any more. */
  file: operation
    .meta({ rule: readJobs, clientTimeoutMs: 210_000 })
    .route({
      method: 'GET',
      path: '/background-jobs/{id}/file',
      tags,
      summary: 'The file of an export',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        headers: z.object({ 'content-type': z.string(), 'content-disposition': z.string() }),
        /** the file */
        body: z.unknown(),
      }),
    ),
  /** Before its time; the job stays, with the state `deleted`. */
  deleteFile: operation
    .meta({ rule: readJobs })
    .route({
      method: 'DELETE',
      path: '/background-jobs/{id}/file',
      tags,
      summary: 'Delete the file of an export',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  definitions: operation
    .meta({ rule: mayExport })
    .route({ method: 'GET', path: '/background-jobs/definitions', tags, summary: 'Saved exports' })
    .input(z.object({ ...Paging, search: z.string().max(200).optional() }))
    .output(pageOf(ExportDefinition)),
  definition: operation
    .meta({ rule: mayExport })
    .route({ method: 'GET', path: '/background-jobs/definitions/{id}', tags, summary: 'Read a saved export' })
    .input(z.object({ id: Id }))
    .output(ExportDefinition),
  createDefinition: operation
    .meta({ rule: mayExport })
    .route({
      method: 'POST',
      path: '/background-jobs/definitions',
      tags,
      summary: 'Save an export',
      successStatus: 201,
    })
    .input(
      z.object({
        title: Title,
        accountId: Id.optional(),
        request: BulkExport,
        active: z.boolean().default(true),
      }),
    )
    .output(ExportDefinition),
  updateDefinition: operation
    .meta({ rule: mayExport })
    .route({
      method: 'PUT',
      path: '/background-jobs/definitions/{id}',
      tags,
      summary: 'Change a saved export',
    })
    .input(z.object({ id: Id, version: Version, title: Title, request: BulkExport }))
    .output(ExportDefinition),
  activateDefinition: operation
    .meta({ rule: mayExport })
    .route({
      method: 'PATCH',
      path: '/background-jobs/definitions/{id}/active',
      tags,
      summary: 'Enable or disable a saved export',
    })
    .input(z.object({ id: Id, active: z.boolean() }))
    .output(ExportDefinition),
  deleteDefinition: operation
    .meta({ rule: mayExport })
    .route({
      method: 'DELETE',
      path: '/background-jobs/definitions/{id}',
      tags,
      summary: 'Delete a saved export',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Runs it now, with the rights of the caller. EXPORT_NOT_ACTIVE. */
  runDefinition: operation
    .meta({ rule: mayExport })
    .route({
      method: 'POST',
      path: '/background-jobs/definitions/{id}/run',
      tags,
      summary: 'Run a saved export',
      successStatus: 201,
    })
    .input(z.object({ id: Id }))
    .output(BackgroundJob),
}
