import {
  type BulkChanges,
  type BulkSelection,
  bulkLimits,
  type ImportSettings,
} from '@leitstand/contract/bulk'
import type { JsonValue } from '@leitstand/contract/common'
import type { JobType } from '@leitstand/contract/jobs'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { bulkDevicesMaxOf } from '../accounts/index.ts'
import type { ConnectorRow } from '../devices/index.ts'
import { editDevice, filterOf, listDeviceIds, needsOneAccount, requireConnector } from '../devices/index.ts'
import { listUnaccepted, refuseUnaccepted } from '../drivers/index.ts'
import { type JobsFeature, mayWriteDevices, type NewJobRow } from '../jobs/index.ts'
import { beginErrand } from '../people/index.ts'
import { readScopes, requireWrite } from '../twins/index.ts'
import { type CheckedRow, checkRows } from './check.ts'
import { suggestTargets } from './mapping.ts'
import { deleteUpload, findTemplate, findUpload, readSelected, type Selected } from './store.ts'
import { faultyOf, importRowsOf, refuseFaulty, takeFile } from './uploads.ts'

type Mode =
  | { kind: 'edit'; changes: BulkChanges }
  | { kind: 'link'; templateId: number }
  | { kind: 'delete'; count: number; delete_remotely: boolean }

interface Tools {
  ctx: Context
  jobs: JobsFeature
  recomputeHealth: (ids: readonly number[]) => Promise<void>
}

/** The operations of bulk edits and imports. */
export function bulkRoutes(tools: Tools) {
  const { ctx } = tools
  return {
    selection: os.bulk.selection.handler(async ({ input, context: { caller } }) => {
      const ids = await resolve(ctx, caller, input.selection)
      const devices = await readSelected(ctx.db, readScopes(caller, 'virtualDevice'), ids)
      const accounts = new Map(devices.map((each) => [each.accountId, each.accountName]))
      return {
        devices: devices.length,
        devicesMax: await devicesMaxOf(ctx.db, [...accounts.keys()]),
        remote: devices.filter(({ remote }) => remote).length,
        accounts: [...accounts].map(([id, name]) => ({ id, name })),
      }
    }),
    edit: os.bulk.edit.handler(({ input, context: { caller } }) => startEdit(tools, caller, input)),
    upload: os.bulk.upload.handler(async ({ input, context: { caller } }) => {
      const { columns, ...upload } = await takeFile(ctx, caller, input.file)
      const targets = suggestTargets(columns.map(({ title }) => title))
      return { ...upload, columns: columns.map((each, at) => ({ ...each, target: targets[at] ?? null })) }
    }),
    preview: os.bulk.preview.handler(async ({ input, context: { caller } }) => {
      const { checked, drivers, devicesMax } = await checkUpload(ctx, caller, input)
      return { ...faultyOf(checked), devicesMax, drivers: drivers.slice(0, bulkLimits.driversMax) }
    }),
    import: os.bulk.import.handler(({ input, context: { caller } }) => startImport(tools, caller, input)),
  }
}

/** Changes a few devices at once, in one transaction. */
export function bulkUpdateRoute({ ctx, recomputeHealth }: Omit<Tools, 'jobs'>) {
  return os.bulk.update.handler(async ({ input, context: { caller } }) => {
    const ids = [...new Set(input.ids)].sort((a, b) => a - b)
    const devices = await readSelected(ctx.db, readScopes(caller, 'virtualDevice'), ids)
    if (devices.length < ids.length) throw new AppError('VDEVICE_NOT_FOUND')
    checkAccounts(devices, needsOneAccount(input.changes))
    const changed: number[] = []
    await ctx.db.transaction().execute(async (tx) => {
      for (const id of ids)
        if (await editDevice(tx, caller, id, input.changes, ctx.clock.now())) changed.push(id)
    })
    await recomputeHealth(changed)
    return { changed: changed.length, unchanged: ids.length - changed.length }
  })
}

/** Visible ids of a selection; one more than the maximum of a job shows that there are too many. */
async function resolve(ctx: Context, caller: Caller, selection: BulkSelection): Promise<number[]> {
  if ('ids' in selection) return [...new Set(selection.ids)]
  const scopeIds = readScopes(caller, 'virtualDevice')
  const filter = filterOf(selection.filter, caller, ctx.clock.now())
  const page = { offset: 0, limit: bulkLimits.devicesMax + 1, orderBy: 'id' }
  const { ids, total } = await listDeviceIds(ctx.db, scopeIds, filter, page)
  if (total > bulkLimits.devicesMax)
    throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax: bulkLimits.devicesMax })
  return ids
}

/** The smallest limit of the accounts of a selection. */
export async function devicesMaxOf(db: Executor, accountIds: readonly number[]): Promise<number> {
  const each = await Promise.all(accountIds.map((id) => bulkDevicesMaxOf(db, id)))
  return each.length === 0 ? bulkLimits.devicesDefault : Math.min(...each)
}

/** @throws AppError BULK_SEVERAL_ACCOUNTS */
export function checkAccounts(devices: readonly Pick<Selected, 'accountId'>[], needsOne: boolean): void {
  const accounts = new Set(devices.map(({ accountId }) => accountId))
  if (accounts.size > 1 && needsOne) throw new AppError('BULK_SEVERAL_ACCOUNTS')
}

/**
 * @throws AppError VDEVICE_NOT_FOUND, BACKGROUND_JOB_TOO_LARGE, BULK_SEVERAL_ACCOUNTS, BULK_COUNT,
 *   DEVICEDRIVER_NOT_ACCEPTED, NO_PERMISSION, and the errors of `requirePublished`
 */
async function startEdit(
  { ctx, jobs }: Tools,
  caller: Caller,
  input: {
    title: string
    selection: BulkSelection
    mode: Mode
  },
) {
  const { title, selection, mode } = input
  const ids = await resolve(ctx, caller, selection)
  const devices = await readSelected(ctx.db, readScopes(caller, 'virtualDevice'), ids)
  const [first] = devices
  if (first === undefined || devices.length < ids.length) throw new AppError('VDEVICE_NOT_FOUND')
  const accountIds = [...new Set(devices.map(({ accountId }) => accountId))]
  const devicesMax = await devicesMaxOf(ctx.db, accountIds)
  if (devices.length > devicesMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax })
  checkAccounts(devices, mode.kind === 'link' || (mode.kind === 'edit' && needsOneAccount(mode.changes)))
  if (mode.kind === 'link') await requirePublished(ctx.db, caller, mode.templateId, first.accountId)
  if (mode.kind === 'delete' && mode.count !== devices.length)
    throw new AppError('BULK_COUNT', { count: devices.length })
  if (mode.kind === 'edit') await refuseUnacceptedEdit(ctx.db, first.accountId, mode.changes)
  // The job is visible in this scope; permissions are checked again for each device.
  requireWrite(caller, 'virtualDevice', first.scopeId)
  const kept = keptOf(mode)
  const rows = devices.map(
    (device, at): NewJobRow => ({
      row: at + 1,
      objectId: device.id,
      title: device.title,
      cells: null,
      faults: [],
    }),
  )
  return jobs.create(
    caller,
    {
      type: typeOf(mode),
      title,
      accountId: first.accountId,
      scopeId: first.scopeId,
      resourceType: 'account',
      resourceId: first.accountId,
      total: devices.length,
      params: { errand: beginErrand(caller), mode: kept },
      // Permissions are checked per device; devices no longer accessible are refused.
      demands: {
        permissions: mayWriteDevices,
        scopeIds: devices.map(({ scopeId }) => scopeId),
        everywhere: false,
      },
    },
    { mode: kept, devices: devices.length },
    rows,
  )
}

/**
 * Refuses a driver that the account has to accept first. An acceptance given is stored with the first device.
 * @throws AppError DEVICEDRIVER_NOT_ACCEPTED
 */
async function refuseUnacceptedEdit(db: Executor, accountId: number, { driver }: BulkChanges): Promise<void> {
  const { driverId = null, acceptDriver } = driver ?? {}
  if (driverId === null || acceptDriver !== undefined) return
  refuseUnaccepted(await listUnaccepted(db, [{ accountId, driverId }]))
}

function typeOf(mode: Mode): JobType {
  if (mode.kind === 'link') return 'virtualdevice-bulk-link'
  return mode.kind === 'delete' && mode.delete_remotely
    ? 'virtualdevice-bulk-delete-remotely'
    : 'virtualdevice-bulk-edit'
}

/** The mode of an edit as stored with the job. */
function keptOf(mode: Mode): { [key: string]: JsonValue } {
  if (mode.kind === 'edit') return { kind: 'edit', changes: asJson(mode.changes) }
  if (mode.kind === 'link') return { kind: 'link', templateId: mode.templateId }
  return { kind: 'delete', ...(mode.delete_remotely ? { remotely: true } : {}) }
}

/**
 * Requires a template that devices of an account can be linked to. Each device is checked separately.
 * @throws AppError DEVICE_TEMPLATE_NOT_FOUND, DEVICE_TEMPLATE_NOT_PUBLISHED, DEVICE_TEMPLATE_MISMATCH
 */
async function requirePublished(db: Executor, caller: Caller, id: number, accountId: number): Promise<void> {
  const scopeIds = (['read', 'manage'] as const).flatMap((action) => [
    ...caller.scopeIds('DeviceTemplate', action),
  ])
  const template = await findTemplate(db, scopeIds, id)
  if (!template) throw new AppError('DEVICE_TEMPLATE_NOT_FOUND', { id })
  if (!template.isPublished) throw new AppError('DEVICE_TEMPLATE_NOT_PUBLISHED', { id })
  if (template.accountId !== accountId)
    throw new AppError('DEVICE_TEMPLATE_MISMATCH', { id, field: 'account' })
}

/** @throws AppError BULK_UPLOAD_NOT_FOUND, CONNECTOR_NOT_FOUND */
async function checkUpload(
  { db }: Context,
  caller: Caller,
  { uploadId, settings }: { uploadId: string; settings: ImportSettings },
) {
  const upload = await findUpload(db, uploadId, caller.userId)
  if (!upload) throw new AppError('BULK_UPLOAD_NOT_FOUND')
  const connector = await requireConnector(db, caller, settings.connectorId)
  const { rows: checked, ...found } = await checkRows(db, caller, connector, upload, settings)
  return { ...found, upload, connector, checked, devicesMax: await bulkDevicesMaxOf(db, connector.accountId) }
}

/**
 * @throws AppError BULK_UPLOAD_NOT_FOUND, CONNECTOR_NOT_FOUND, BACKGROUND_JOB_TOO_LARGE, BULK_ROWS_FAULTY,
 *   DEVICEDRIVER_NOT_ACCEPTED
 */
async function startImport(
  { ctx, jobs }: Tools,
  caller: Caller,
  input: { title: string; uploadId: string; settings: ImportSettings; skipFaulty: boolean },
) {
  const { title, settings, skipFaulty } = input
  const { upload, connector, checked, unaccepted, devicesMax } = await checkUpload(ctx, caller, input)
  if (checked.length > devicesMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax })
  refuseFaulty(checked, skipFaulty)
  refuseUnaccepted(unaccepted)
  const job = await createImport(jobs, caller, { title, settings, connector, checked, ...upload })
  await deleteUpload(ctx.db, upload.id)
  return job
}

/** Creates the import job for checked rows; faulty rows are in its result. */
function createImport(
  jobs: JobsFeature,
  caller: Caller,
  input: {
    title: string
    settings: ImportSettings
    connector: ConnectorRow
    checked: readonly CheckedRow[]
    fileName: string
    header: readonly string[]
    rows: readonly (readonly string[])[]
  },
) {
  const { title, settings, connector, checked, fileName, header } = input
  const faulty = checked.filter(({ faults }) => faults.length > 0).length
  const rows = importRowsOf(checked, input.rows)
  return jobs.create(
    caller,
    {
      type: 'virtualdevice-bulk-import',
      title,
      total: checked.length,
      accountId: connector.accountId,
      scopeId: connector.scopeId,
      resourceType: 'connector',
      resourceId: connector.id,
      params: { errand: beginErrand(caller), fileName, header: [...header], settings: asJson(settings) },
      demands: { permissions: mayWriteDevices, scopeIds: [connector.scopeId], everywhere: true },
    },
    { fileName, rows: checked.length, faulty },
    rows,
  )
}

/** Rows to import that are not from a file. */
interface ImportedTable {
  title: string
  /** where they come from, for the activity log */
  source: string
  header: readonly string[]
  rows: readonly (readonly string[])[]
  settings: ImportSettings
}

/**
 * Creates the devices of a table as a background job; rows with faults are in its result.
 * @throws AppError CONNECTOR_NOT_FOUND, BACKGROUND_JOB_TOO_LARGE, DEVICEDRIVER_NOT_ACCEPTED
 */
export async function importTable(
  { ctx, jobs }: Pick<Tools, 'ctx' | 'jobs'>,
  caller: Caller,
  table: ImportedTable,
) {
  const { title, source, settings } = table
  const connector = await requireConnector(ctx.db, caller, settings.connectorId)
  const devicesMax = await bulkDevicesMaxOf(ctx.db, connector.accountId)
  if (table.rows.length > devicesMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { devicesMax })
  const { rows: checked, unaccepted } = await checkRows(ctx.db, caller, connector, table, settings)
  refuseUnaccepted(unaccepted)
  const { header, rows } = table
  return createImport(jobs, caller, { title, settings, connector, checked, header, rows, fileName: source })
}

/** A value as plain JSON, without undefined fields. */
export function asJson(value: object): JsonValue {
  return z.json().parse(JSON.parse(JSON.stringify(value)))
}
