import {
  type BulkExport,
  type ExportRange,
  type ExportValues,
  exportLimits,
} from '@leitstand/contract/exports'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Permission } from '@leitstand/contract/permissions'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { readCsvLimit } from '../activity/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { beginErrand } from '../people/index.ts'
import { visibleScopes } from '../series/index.ts'
import { namedKeys } from './columns.ts'
import { findPlace, findSeen } from './definitions/store.ts'
import { asJson } from './kind.ts'
import { type Period, periodOf, startsFrom } from './period.ts'
import { columnKeys, countObjects, type Selected } from './selection.ts'

type Options = Omit<BulkExport, 'title' | 'selection'>

export interface StartTools {
  ctx: Context
  jobs: JobsFeature
}

/** Any of these lets somebody read values; what exactly is asked for each page. */
const mayRead: readonly Permission[] = [
  { subject: 'VirtualDevice', action: 'read' },
  { subject: 'VirtualDevice', action: 'manage' },
  { subject: 'DigitalTwin', action: 'read' },
  { subject: 'DigitalTwinStates', action: 'read' },
  { subject: 'Dashboards', action: 'read' },
]

/**
 * Starts the export of a selection, in the account of the caller.
 * @throws AppError EXPORT_NOTHING_SELECTED, EXPORT_TOO_MANY_INTERVALS, TOO_MANY_REQUESTS
 */
export async function startBulk(
  tools: StartTools,
  caller: Caller,
  { title, selection, ...options }: BulkExport,
  changes: Record<string, unknown> = {},
): Promise<BackgroundJob> {
  const total = await countObjects(tools.ctx.db, caller, selection, tools.ctx.clock.now())
  if (total === 0) throw new AppError('EXPORT_NOTHING_SELECTED')
  const place = await findPlace(tools.ctx.db, caller)
  return start(tools, caller, {
    type: 'bulk-device-states-export',
    title,
    selection,
    options,
    total,
    place: { ...place, resourceType: 'account', resourceId: place.accountId },
    changes,
  })
}

/**
 * Starts the export of one device or twin, in its account.
 * @throws AppError DTWIN_NOT_FOUND, EXPORT_TOO_MANY_INTERVALS, TOO_MANY_REQUESTS
 */
export async function startOne(
  tools: StartTools,
  caller: Caller,
  { objectId, title, ...options }: { objectId: number; title?: string | undefined } & Options,
): Promise<BackgroundJob> {
  const seen = await findSeen(tools.ctx.db, visibleScopes(caller), objectId)
  if (!seen) throw new AppError('DTWIN_NOT_FOUND', { id: objectId })
  return start(tools, caller, {
    type: 'device-states-export',
    title: title ?? seen.title,
    selection: { of: 'object', id: objectId },
    options,
    total: 1,
    place: {
      accountId: seen.accountId,
      scopeId: seen.scopeId,
      resourceType: seen.category,
      resourceId: objectId,
    },
    changes: {},
  })
}

/** An export that was due at a time, in an account. */
export interface DueExport extends BulkExport {
  dueAt: Date
  place: { accountId: number; scopeId: number }
  /** of the file, without its ending */
  name: string
  changes: Record<string, unknown>
}

/**
 * Starts an export whose period is that of the time when it was due, in a transaction of the caller.
 * @returns null when nothing belongs to its selection
 * @throws AppError EXPORT_TOO_MANY_COLUMNS, EXPORT_TOO_MANY_INTERVALS, TOO_MANY_REQUESTS, SMART_GROUP_NOT_FOUND
 */
export async function startDue(
  tools: StartTools,
  tx: Executor,
  caller: Caller,
  { title, selection, dueAt, place, name, changes, ...options }: DueExport,
): Promise<{ job: BackgroundJob; period: Period } | null> {
  const total = await countObjects(tx, caller, selection, tools.ctx.clock.now())
  if (total === 0) return null
  const job = await start(tools, caller, {
    type: 'bulk-device-states-export',
    title,
    selection,
    options,
    total,
    place: { ...place, resourceType: 'account', resourceId: place.accountId },
    changes,
    due: { at: dueAt, name, tx },
  })
  return { job, period: periodOf(options.range, options.formatting.timeZone, dueAt) }
}

/**
 * Refuses an export that could not run at a time.
 * @throws AppError EXPORT_TOO_MANY_COLUMNS, EXPORT_TOO_MANY_INTERVALS, SMART_GROUP_NOT_FOUND
 */
export async function checkExport(
  { ctx }: Pick<StartTools, 'ctx'>,
  caller: Caller,
  { selection, ...options }: Pick<BulkExport, 'selection'> & CheckedOptions,
  at: Date,
): Promise<void> {
  await countObjects(ctx.db, caller, selection, ctx.clock.now())
  await checkOptions(ctx, caller, { selection, options, at })
}

type CheckedOptions = Pick<Options, 'formatting' | 'values' | 'range' | 'stateKeys'>

async function checkOptions(
  { db, clock }: { db: Executor } & Pick<Context, 'clock'>,
  caller: Caller,
  { selection, options, at }: { selection: Selected; options: CheckedOptions; at: Date },
): Promise<Period> {
  const { formatting, values, range, stateKeys } = options
  const period = periodOf(range, formatting.timeZone, at)
  refuseTooFine(values, period, formatting.timeZone)
  if (formatting.layout === 'wide' && namedKeys({ formatting }) === undefined)
    await columnKeys(db, caller, { selection, stateKeys }, clock.now())
  return period
}

async function start(
  { ctx, jobs }: StartTools,
  caller: Caller,
  {
    type,
    title,
    selection,
    options,
    total,
    place,
    changes,
    due,
  }: {
    type: 'bulk-device-states-export' | 'device-states-export'
    title: string
    selection: Selected
    options: Options
    total: number
    place: {
      accountId: number
      scopeId: number
      resourceType: BackgroundJob['resource']['type']
      resourceId: number
    }
    changes: Record<string, unknown>
    due?: { at: Date; name: string; tx: Executor }
  },
): Promise<BackgroundJob> {
  const now = ctx.clock.now()
  const db = due?.tx ?? ctx.db
  const { values, range } = options
  const period = await checkOptions({ db, clock: ctx.clock }, caller, {
    selection,
    options,
    at: due?.at ?? now,
  })
  const limit = await readCsvLimit(db, { userId: caller.userId, accountId: caller.accountId })
  const params = {
    ...options,
    ...period,
    selection,
    errand: beginErrand(caller),
    rowsMax: Math.min(limit ?? exportLimits.rowsMax, exportLimits.rowsMax),
    name: due?.name ?? `${plainName(title)} ${now.toISOString().slice(0, 10)}`,
  }
  const demanded = mayRead.flatMap(({ subject, action }) => caller.scopeIds(subject, action))
  return jobs.create(
    caller,
    {
      type,
      title,
      total,
      params: asJson(params),
      ...place,
      demands: { permissions: mayRead, scopeIds: demanded, everywhere: false },
    },
    { ...changes, format: options.format, range: describe(range), values: values.kind },
    [],
    due?.tx,
  )
}

/** @throws AppError EXPORT_TOO_MANY_INTERVALS */
function refuseTooFine(
  values: ExportValues,
  { startMs, endMs }: { startMs: number; endMs: number },
  timeZone: string,
): void {
  if (values.kind === 'raw') return
  const { intervalsMax } = exportLimits
  // Shorter than the shortest of its kind: no more than this can be in the period.
  if ((endMs - startMs) / shortestMs[values.duration] < intervalsMax) return
  const found = startsFrom(startMs, endMs, { duration: values.duration, timeZone }, intervalsMax + 1)
  if (found.length > intervalsMax) throw new AppError('EXPORT_TOO_MANY_INTERVALS', { intervalsMax })
}

const hourMs = 3_600_000
const shortestMs = {
  '5m': hourMs / 12,
  '15m': hourMs / 4,
  '1h': hourMs,
  '6h': 3 * hourMs,
  '1d': 21 * hourMs,
  '1w': 165 * hourMs,
  '1mo': 28 * 24 * hourMs - 3 * hourMs,
} as const

const describe = (range: ExportRange): string =>
  'start' in range ? `${range.start}/${range.end}` : `${range.which} ${range.unit}`

/** A title as the name of a file, without what file systems refuse. */
export function plainName(title: string): string {
  const plain = title
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return plain || 'export'
}
