import {
  type BulkExport,
  type ExportRange,
  type ExportValues,
  exportLimits,
} from '@leitstand/contract/exports'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Permission } from '@leitstand/contract/permissions'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { readCsvLimit } from '../activity/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { beginErrand } from '../people/index.ts'
import { visibleScopes } from '../series/index.ts'
import { namedKeys } from './columns.ts'
import { findPlace, findSeen } from './definitions/store.ts'
import { asJson } from './kind.ts'
import { periodOf, startsFrom } from './period.ts'
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
  },
): Promise<BackgroundJob> {
  const now = ctx.clock.now()
  const { formatting, values, range } = options
  const period = periodOf(range, formatting.timeZone, now)
  refuseTooFine(values, period, formatting.timeZone)
  if (formatting.layout === 'wide' && namedKeys({ formatting }) === undefined)
    await columnKeys(ctx.db, caller, { selection, stateKeys: options.stateKeys }, now)
  const limit = await readCsvLimit(ctx.db, { userId: caller.userId, accountId: caller.accountId })
  const params = {
    ...options,
    ...period,
    selection,
    errand: beginErrand(caller),
    rowsMax: Math.min(limit ?? exportLimits.rowsMax, exportLimits.rowsMax),
    name: fileNameOf(title, now),
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

/** A file name without what file systems refuse. */
function fileNameOf(title: string, now: Date): string {
  const plain = title
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${plain || 'export'} ${now.toISOString().slice(0, 10)}`
}
