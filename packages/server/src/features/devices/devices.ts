import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { VirtualDevice, virtualdevice } from '@leitstand/contract/virtualdevices'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForDevices } from '../access/index.ts'
import { recordActivity } from '../activity/index.ts'
import { isDriverOffered } from '../drivers/index.ts'
import {
  bothScopes,
  changesOf,
  deleteObject,
  findObject,
  hasForeignAggregates,
  insertObject,
  loadAncestors,
  loadDependencies,
  lockIfMoving,
  lockLinks,
  moveObject,
  type ObjectRow,
  objectForChange,
  placeFor,
  readScopes,
  updateObject,
  writeScopes,
} from '../twins/index.ts'
import {
  type DeviceColumns,
  type DeviceRow,
  findByExternalId,
  findConnector,
  insertDevice,
  insertMissingStates,
  loadDevice,
  loadDriverContent,
  setDisabled,
  updateDevice as updateDeviceRow,
} from './store/devices.ts'
import { loadDeviceSummaries } from './store/list.ts'
import { statesOf } from './variables.ts'

type CreateInput = z.infer<NonNullable<(typeof virtualdevice.create)['~orpc']['inputSchema']>>
type UpdateInput = z.infer<NonNullable<(typeof virtualdevice.update)['~orpc']['inputSchema']>>

/** Devices are all drawn as sensors; the kinds of twins are for places and things. */
const deviceType = { type: 'sensor', geoPolygon: null } as const

/** Reads a device for its page. @throws AppError VDEVICE_NOT_FOUND */
export async function getDevice(db: Executor, caller: Caller, id: number): Promise<VirtualDevice> {
  const scopes = bothScopes(caller, 'read')
  const row = await findObject(db, 'virtualDevice', scopes.virtualDevice, id)
  const [summary] = await loadDeviceSummaries(db, scopes.virtualDevice, scopes.digitalTwin, [id])
  if (!row || !summary) throw new AppError('VDEVICE_NOT_FOUND', { id })
  const device = await loadDevice(db, id)
  return {
    ...summary,
    description: row.description,
    address: row.address,
    floorNumber: row.floorNumber,
    keyValues: row.keyValues,
    referenceIds: row.referenceIds,
    driverVersion: device.driverVersion,
    packetCount: device.packetCount,
    lastError: device.lastError,
    ancestors: await loadAncestors(db, scopes.digitalTwin, id),
    editable: writeScopes(caller, 'virtualDevice').includes(row.scopeId),
    version: row.version,
  }
}

/**
 * Creates a device below a twin, or at the top of its connector's account, with a state for each variable of its
 * driver.
 * @throws AppError CONNECTOR_NOT_FOUND, DTWIN_NOT_FOUND, DEVICEDRIVER_NOT_FOUND, DEVICE_ALREADY_EXISTS, NO_PERMISSION,
 * TENANT_DEVICE_LIMIT, TENANT_DEVICE_LIMIT_ABOVE
 */
export async function createDevice(ctx: Context, caller: Caller, input: CreateInput): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    // Whoever adds a device to a connector gets the data it sends under this id: the right is needed there, too.
    const connector = await findConnector(tx, writeScopes(caller, 'virtualDevice'), input.connectorId)
    if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id: input.connectorId })
    const accountId = input.parentId === null ? connector.accountId : undefined
    const place = await placeFor(tx, caller, 'virtualDevice', input.parentId, accountId)
    await demandRoomForDevices(tx, caller, place.accountId)
    const columns = columnsOf(input)
    await requireFree(tx, connector.id, columns.externalId)
    const now = ctx.clock.now()
    const id = await insertObject(tx, place, 'virtualDevice', { ...input, ...deviceType }, now)
    await unlessTaken(columns.externalId, () => insertDevice(tx, id, connector.id, columns))
    await addDriverStates(tx, id, place.accountId, columns, now)
    await recordActivity(tx, caller, about('create', { id, title: input.title, accountId: place.accountId }))
    return id
  })
}

/** Changes a device; another driver adds the states that are missing and leaves the others alone. */
export async function updateDevice(ctx: Context, caller: Caller, input: UpdateInput): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockIfMoving(tx, caller, 'virtualDevice', input)
    const row = await objectForChange(tx, caller, 'virtualDevice', input.id, { version: input.version })
    const before = await loadDevice(tx, row.id)
    const parentId = await moveObject(tx, caller, row, input.parentId)
    const columns = columnsOf(input)
    if (columns.externalId !== before.externalId)
      await requireFree(tx, before.connectorId, columns.externalId)
    const now = ctx.clock.now()
    await updateObject(tx, row, parentId, { ...input, ...deviceType, geoPolygon: row.geoPolygon }, now)
    if (changesOf({ ...before }, { ...columns })) {
      await unlessTaken(columns.externalId, () => updateDeviceRow(tx, row.id, columns))
    }
    if (columns.driverId !== before.driverId || columns.driverVersion !== before.driverVersion) {
      await addDriverStates(tx, row.id, row.accountId, columns, now)
    }
    await recordActivity(tx, caller, {
      ...about('update', { ...row, title: input.title }),
      changes: changesBetween(row, before, { ...input, ...columns, parentId }),
    })
  })
}

function changesBetween(row: ObjectRow, device: DeviceRow, input: UpdateInput) {
  const { id: _, version: __, ...after } = input
  return changesOf({ ...row, ...device }, after)
}

export async function setDeviceDisabled(
  ctx: Context,
  caller: Caller,
  id: number,
  disabled: boolean,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const row = await objectForChange(tx, caller, 'virtualDevice', id)
    await setDisabled(tx, id, disabled, ctx.clock.now())
    await recordActivity(tx, caller, about(disabled ? 'disable' : 'enable', row))
  })
}

/** @throws AppError VDEVICE_DELETE_STATES_AGGREGATED with the states that are computed from its states */
export async function deleteDevice(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockLinks(tx)
    const row = await objectForChange(tx, caller, 'virtualDevice', id, { lock: 'remove' })
    if (await hasForeignAggregates(tx, id)) {
      const { items } = await dependenciesOf(tx, caller, id)
      throw new AppError('VDEVICE_DELETE_STATES_AGGREGATED', { items: items.filter((item) => item.blocking) })
    }
    await deleteObject(tx, row)
    await recordActivity(tx, caller, about('delete', row))
  })
}

/** What hangs on a device, as far as the caller may see it. @throws AppError VDEVICE_NOT_FOUND */
export async function deviceDependencies(db: Executor, caller: Caller, id: number) {
  await requireDevice(db, caller, id)
  return dependenciesOf(db, caller, id)
}

function dependenciesOf(db: Executor, caller: Caller, id: number) {
  return loadDependencies(db, id, bothScopes(caller, 'read'), [...caller.scopeIds('Dashboards', 'read')])
}

/** @throws AppError VDEVICE_NOT_FOUND when there is no such device or the caller may not see it */
export async function requireDevice(db: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const row = await findObject(db, 'virtualDevice', readScopes(caller, 'virtualDevice'), id)
  if (!row) throw new AppError('VDEVICE_NOT_FOUND', { id })
  return row
}

function columnsOf(input: CreateInput | UpdateInput): DeviceColumns {
  return {
    externalId: normaliseExternalId(input.externalId),
    driverId: input.driverId,
    driverVersion: input.driverId === null ? null : input.driverVersion,
    operationalStatus: input.operationalStatus,
  }
}

/** The driver must be offered to the device's account, and a fixed version must exist. */
async function addDriverStates(
  tx: Executor,
  twinId: number,
  accountId: number,
  { driverId, driverVersion }: DeviceColumns,
  now: Date,
): Promise<void> {
  if (driverId === null) return
  const offered = await isDriverOffered(tx, driverId, accountId)
  const content = offered ? await loadDriverContent(tx, driverId, driverVersion) : undefined
  if (!content) throw new AppError('DEVICEDRIVER_NOT_FOUND', { id: driverId, number: driverVersion })
  await insertMissingStates(tx, twinId, statesOf(content.variables, content.golden), now)
}

async function requireFree(tx: Executor, connectorId: number, externalId: string): Promise<void> {
  if ((await findByExternalId(tx, connectorId, externalId)) === undefined) return
  throw new AppError('DEVICE_ALREADY_EXISTS', { externalId })
}

/** Two people may add the same device at once. */
async function unlessTaken(externalId: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (violatedUnique(error) === undefined) throw error
    throw new AppError('DEVICE_ALREADY_EXISTS', { externalId })
  }
}

function about(action: string, device: { id: number; title: string; accountId: number }) {
  return {
    action,
    subject: 'VirtualDevice',
    objectId: device.id,
    objectTitle: device.title,
    accountId: device.accountId,
  }
}
