import type { Preset } from '@leitstand/contract/bridge'
import type { BulkChanges } from '@leitstand/contract/bulk'
import { fitsPreset, normaliseExternalId } from '@leitstand/contract/identifiers'
import type { TemplateProperty, VirtualDevice, virtualdevice } from '@leitstand/contract/virtualdevices'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForDevices } from '../accounts/index.ts'
import { recordActivities, recordActivity } from '../activity/index.ts'
import {
  bothScopes,
  changesOf,
  deleteObject,
  dependenciesOf,
  findObject,
  hasForeignAggregates,
  insertObjects,
  lockIfMoving,
  lockLinks,
  moveObject,
  type ObjectRow,
  objectForChange,
  type Place,
  placeFor,
  readScopes,
  requireWrite,
  setDisabled,
  updateObject,
  withPosition,
  writeScopes,
} from '../twins/index.ts'
import { editFields } from './changes.ts'
import { addDriverStates, changeDriver, contentsFor, likeness, lockStatesOfDevice } from './driverStates.ts'
import {
  type ConnectorRow,
  type DeviceColumns,
  type DeviceRow,
  findConnector,
  findTaken,
  insertDevices,
  loadDevice,
  updateDevice as updateDeviceRow,
  willChangeStates,
} from './store/devices.ts'
import { loadDevicePage } from './store/list.ts'
import { lockLive } from './store/live.ts'

type CreateInput = Omit<
  z.infer<NonNullable<(typeof virtualdevice.create)['~orpc']['inputSchema']>>,
  'templateId'
>
type UpdateInput = z.infer<NonNullable<(typeof virtualdevice.update)['~orpc']['inputSchema']>>

/** All devices are shown as sensors; the types of twins are for places and things. */
const deviceType = { type: 'sensor' as const, geoPolygon: null, contacts: [] }

/** Reads a device for its page; `bare`: without its ancestors. @throws AppError VDEVICE_NOT_FOUND */
export async function getDevice(
  db: Executor,
  caller: Caller,
  id: number,
  { bare = false } = {},
): Promise<VirtualDevice> {
  const scopes = bothScopes(caller, 'read')
  const device = await loadDevicePage(db, scopes.virtualDevice, scopes.digitalTwin, id, { bare })
  if (!device) throw new AppError('VDEVICE_NOT_FOUND', { id })
  return { ...device, editable: writeScopes(caller, 'virtualDevice').includes(device.scopeId) }
}

/**
 * Creates devices of a connector, all or none, below twins or at the top of the connector's account, with a
 * state for each variable of their drivers. The number of statements depends on the places and drivers, not
 * on the devices.
 * @param inputs not empty, each external id once
 * @param template the caller links the devices to it in this transaction: it defines their states, and
 *   devices without a parent belong to its account
 * @returns their ids in the order of the inputs
 * @throws AppError CONNECTOR_NOT_FOUND, DTWIN_NOT_FOUND, DEVICE_ALREADY_EXISTS, and those of `requireAccepted`,
 * DEVICE_EUI_INVALID where a network server names devices by EUI-64, NO_PERMISSION,
 * TENANT_DEVICE_LIMIT, TENANT_DEVICE_LIMIT_ABOVE
 */
export async function createDevices(
  tx: Executor,
  caller: Caller,
  connectorId: number,
  inputs: readonly Omit<CreateInput, 'connectorId'>[],
  now: Date,
  template?: { accountId: number },
): Promise<number[]> {
  const columns = inputs.map(columnsOf)
  const externalIds = columns.map(({ externalId }) => externalId)
  const connector = await requireConnector(tx, caller, connectorId, externalIds)
  const places = await placesFor(tx, caller, connector, template?.accountId ?? connector.accountId, inputs)
  for (const [accountId, { length }] of Map.groupBy(places, (place) => place.accountId)) {
    await demandRoomForDevices(tx, caller, accountId, length)
  }
  for (const externalId of externalIds) demandFit(externalId, connector.preset)
  requireNone(connector.taken)
  const drivers = columns.map((each, at) => {
    const { accountId, scopeId } = places[at] as Place
    return { ...each, accountId, scopeId, number: inputs[at]?.acceptDriver }
  })
  const contents = await contentsFor(tx, caller, drivers, now)
  const ids = await insertObjects(
    tx,
    inputs.map((input, at) => ({
      place: places[at] as Place,
      category: 'virtualDevice',
      input: { ...input, ...deviceType },
    })),
    now,
  )
  const made = drivers.map((each, at) => ({ ...each, twinId: ids[at] as number }))
  await unlessTaken(externalIds, () => insertDevices(tx, connector.id, made))
  for (const [like, alike] of Map.groupBy(template ? [] : made, likeness)) {
    await addDriverStates(tx, alike, contents.get(like) ?? null, now)
  }
  await recordActivities(
    tx,
    caller,
    made.map(({ twinId, accountId }, at) =>
      about('create', { id: twinId, title: inputs[at]?.title ?? '', accountId }),
    ),
  )
  return ids
}

/**
 * The connector of new devices. Adding a device gives access to the data received under its id, so the caller
 * needs permission for the connector too.
 * @param externalIds of the new devices: which of them are `taken`
 * @throws AppError CONNECTOR_NOT_FOUND
 */
export async function requireConnector(
  db: Executor,
  caller: Caller,
  connectorId: number,
  externalIds?: readonly string[],
): Promise<ConnectorRow> {
  const connector = await findConnector(db, writeScopes(caller, 'virtualDevice'), connectorId, externalIds)
  if (!connector) throw new AppError('CONNECTOR_NOT_FOUND', { id: connectorId })
  return connector
}

/** Places of new devices; loads each parent once. That of the connector's account is already loaded. */
async function placesFor(
  tx: Executor,
  caller: Caller,
  connector: ConnectorRow,
  accountId: number,
  inputs: readonly { parentId: number | null }[],
): Promise<Place[]> {
  const known = new Map<number | null, Place>()
  const scopeId = connector.accountScopeId
  if (connector.accountId === accountId && writeScopes(caller, 'virtualDevice').includes(scopeId))
    known.set(null, { parentId: null, accountId, scopeId })
  const parents = [...new Set(inputs.map(({ parentId }) => parentId))]
  for (const parentId of parents) {
    const account = parentId === null ? accountId : undefined
    if (!known.has(parentId))
      known.set(parentId, await placeFor(tx, caller, 'virtualDevice', parentId, account))
  }
  return inputs.map(({ parentId }) => known.get(parentId) as Place)
}

/**
 * Changes a device; see `changeDriver` for the effect of a new driver on its states.
 * @param detach run with everything locked, before the change; releases the device from its template
 */
export async function updateDevice(
  tx: Executor,
  caller: Caller,
  { templateId, acceptDriver, ...given }: UpdateInput,
  now: Date,
  detach: (row: ObjectRow) => Promise<void>,
): Promise<void> {
  const { id, version, driverId } = given
  const isFree = templateId === null
  if (await willChangeStates(tx, id, { driverId, isFree })) await lockStatesOfDevice(tx, id)
  await lockIfMoving(tx, caller, 'virtualDevice', given)
  await lockLive(tx, id)
  const row = await objectForChange(tx, caller, 'virtualDevice', id, { version, position: given })
  const found = await loadDevice(tx, row.id)
  if (typeof templateId === 'number' && templateId !== found.templateId)
    throw new AppError(
      'VALIDATION_ERROR',
      { field: 'templateId' },
      'Devices are linked to a template by POST devicetemplate-link',
    )
  const isLeaving = templateId === null && found.templateId !== null
  if (isLeaving) await detach(row)
  const before = isLeaving ? await loadDevice(tx, row.id) : found
  await changeDevice(tx, caller, { row, before }, { ...withPosition(row, given), acceptDriver }, now)
}

/** Applies the change. The caller must have locked the device, and the tree if it moves. */
async function changeDevice(
  tx: Executor,
  caller: Caller,
  { row, before }: { row: ObjectRow; before: DeviceRow },
  {
    acceptDriver: number,
    ...input
  }: Omit<UpdateInput, 'id' | 'version' | 'templateId' | 'latitude' | 'longitude'> &
    Pick<ObjectRow, 'latitude' | 'longitude'>,
  now: Date,
  action: 'update' | 'synchronize' = 'update',
): Promise<void> {
  const columns = columnsOf(input)
  requireTemplated(row, before, { ...input, ...columns })
  const parentId = await moveObject(tx, caller, row, input.parentId)
  if (columns.externalId !== before.externalId) {
    demandFit(columns.externalId, before.preset)
    await requireFree(tx, before.connectorId, [columns.externalId])
  }
  const isRead = columns.driverId === before.driverId && columns.driverVersion === before.driverVersion
  const { accountId } = row
  const contents = isRead
    ? undefined
    : await contentsFor(tx, caller, [{ ...columns, accountId, number }], now)
  await updateObject(
    tx,
    row,
    parentId,
    { ...input, ...deviceType, geoPolygon: row.geoPolygon, contacts: row.contacts },
    now,
  )
  if (changesOf({ ...before }, { ...columns })) {
    await unlessTaken([columns.externalId], () => updateDeviceRow(tx, row.id, columns))
  }
  const content = contents?.get(likeness({ ...columns, accountId })) ?? null
  const { driverId } = columns
  const deletedStates = isRead ? [] : await changeDriver(tx, row.id, before, { driverId, content }, now)
  const changes = changesOf({ ...row, ...before }, { ...input, ...columns, parentId })
  await recordActivity(tx, caller, {
    ...about(action, { ...row, title: input.title }),
    changes: deletedStates.length > 0 ? { ...changes, deletedStates } : changes,
  })
}

/**
 * Requires that values fixed by the template are unchanged and its required properties are present.
 * @throws AppError DEVICE_TEMPLATE_FIXED, DEVICE_TEMPLATE_PROPERTY_MISSING with `keys`
 */
function requireTemplated(
  row: ObjectRow,
  { templateId, requiredProperties, ...before }: DeviceRow,
  after: Pick<UpdateInput, 'driverId' | 'driverVersion' | 'keyValues'>,
): void {
  if (templateId === null) return
  if (after.driverId !== before.driverId || after.driverVersion !== before.driverVersion)
    throw new AppError('DEVICE_TEMPLATE_FIXED', { field: 'driver', templateId })
  const missing = missingProperties(requiredProperties, after.keyValues)
  // Properties that were already missing do not block other changes.
  const keys = missing.filter((key) => row.keyValues[key]?.trim())
  if (keys.length > 0) throw new AppError('DEVICE_TEMPLATE_PROPERTY_MISSING', { keys })
}

/** Required properties of a template that are empty. */
export function missingProperties(
  demanded: readonly TemplateProperty[],
  keyValues: Readonly<Record<string, string>>,
): string[] {
  return demanded.map(({ key }) => key).filter((key) => !keyValues[key]?.trim())
}

/**
 * Changes some fields of a device for a bulk edit, with the rules of `updateDevice`.
 * @returns whether anything changed
 * @throws AppError like `updateDevice`
 */
export async function editDevice(
  tx: Executor,
  caller: Caller,
  id: number,
  changes: BulkChanges,
  now: Date,
): Promise<boolean> {
  if (changes.driver) await lockStatesOfDevice(tx, id)
  if (changes.parentId !== undefined)
    await lockIfMoving(tx, caller, 'virtualDevice', { id, parentId: changes.parentId })
  const { row, before, input } = await editable(tx, caller, id)
  const edited = editFields(input, changes)
  const isDifferent = changesOf(input, edited) !== undefined
  const { acceptDriver } = changes.driver ?? {}
  if (isDifferent) await changeDevice(tx, caller, { row, before }, { ...edited, acceptDriver }, now)
  const flag = changes.disabled ?? row.disabled
  if (flag !== row.disabled) {
    await setDisabled(tx, id, flag, now)
    await recordActivity(tx, caller, about(flag ? 'disable' : 'enable', row))
  }
  return isDifferent || flag !== row.disabled
}

/** Loads and locks a device with all its editable fields. */
async function editable(tx: Executor, caller: Caller, id: number) {
  await lockLive(tx, id)
  const row = await objectForChange(tx, caller, 'virtualDevice', id)
  const before = await loadDevice(tx, id)
  const { externalId, driverId, driverVersion, operationalStatus, groups = [] } = before
  return {
    row,
    before,
    input: { ...fieldsOf(row), externalId, driverId, driverVersion, operationalStatus, groups },
  }
}

/** Fields that a device can share with its network server. */
export type Shared = Pick<ObjectRow, 'title' | 'description' | 'latitude' | 'longitude'>

/**
 * Updates a device from its network server. Always writes an entry in the activity log.
 * @param choose selects the fields to update, given the current device
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION
 */
export async function synchronizeDevice<T extends { fields: Partial<Shared> }>(
  ctx: Context,
  caller: Caller,
  id: number,
  choose: (here: Shared) => T,
): Promise<T> {
  return ctx.db.transaction().execute(async (tx) => {
    const { row, before, input } = await editable(tx, caller, id)
    const choice = choose(row)
    const edited = { ...input, ...choice.fields }
    const action = 'synchronize'
    if (changesOf(input, edited))
      await changeDevice(tx, caller, { row, before }, edited, ctx.clock.now(), action)
    else await recordActivity(tx, caller, about(action, row))
    return choice
  })
}

/**
 * The identifiers at the network server of a device the caller may change.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION
 */
export async function changeableDevice(
  { db }: Context,
  caller: Caller,
  id: number,
): Promise<{ connectorId: number; externalId: string }> {
  const row = await requireDevice(db, caller, id)
  requireWrite(caller, 'virtualDevice', row.scopeId)
  return loadDevice(db, id)
}

/** Editable fields of a device's twin part. */
function fieldsOf(row: ObjectRow) {
  const { title, description, tags, zones, icon, address, latitude, longitude } = row
  const { floorNumber, floorName, keyValues, referenceIds, parentId } = row
  return {
    title,
    description,
    tags,
    zones,
    icon,
    address,
    latitude,
    longitude,
    floorNumber,
    floorName,
    keyValues,
    referenceIds,
    parentId,
  }
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

/**
 * @param remotely whether it was deleted at its network server before, for the activity log
 * @throws AppError VDEVICE_DELETE_STATES_AGGREGATED with the states that are computed from its states
 */
export async function deleteDevice(
  ctx: Context,
  caller: Caller,
  id: number,
  remotely: boolean,
): Promise<void> {
  await ctx.db.transaction().execute((tx) => removeDevice(tx, caller, id, { remotely }))
}

/** Like `deleteDevice`, in the caller's transaction. */
export async function removeDevice(
  tx: Executor,
  caller: Caller,
  id: number,
  { remotely = false } = {},
): Promise<void> {
  const row = await lockRemovable(tx, caller, id)
  await deleteObject(tx, row)
  await recordActivity(tx, caller, {
    ...about('delete', row),
    ...(remotely ? { changes: { remotely } } : {}),
  })
}

/**
 * The identifiers at the network server of a device that can be deleted now.
 * @throws AppError like `deleteDevice`
 */
export async function removableDevice(
  ctx: Context,
  caller: Caller,
  id: number,
): Promise<{ connectorId: number; externalId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockRemovable(tx, caller, id)
    return loadDevice(tx, id)
  })
}

async function lockRemovable(tx: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  await lockLinks(tx)
  const row = await objectForChange(tx, caller, 'virtualDevice', id, { lock: 'remove' })
  if (await hasForeignAggregates(tx, id)) {
    const { items } = await dependenciesOf(tx, caller, { kind: 'virtualDevice', id })
    throw new AppError('VDEVICE_DELETE_STATES_AGGREGATED', { items: items.filter((item) => item.blocking) })
  }
  return row
}

/** Dependencies of a device that are visible to the caller. @throws AppError VDEVICE_NOT_FOUND */
export async function deviceDependencies(db: Executor, caller: Caller, id: number) {
  await requireDevice(db, caller, id)
  return dependenciesOf(db, caller, { kind: 'virtualDevice', id })
}

/** @throws AppError VDEVICE_NOT_FOUND if the device does not exist or is not visible to the caller */
export async function requireDevice(db: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const row = await findObject(db, 'virtualDevice', readScopes(caller, 'virtualDevice'), id)
  if (!row) throw new AppError('VDEVICE_NOT_FOUND', { id })
  return row
}

function columnsOf(input: Pick<CreateInput, keyof DeviceColumns>): DeviceColumns {
  return {
    externalId: normaliseExternalId(input.externalId),
    driverId: input.driverId,
    driverVersion: input.driverId === null ? null : input.driverVersion,
    operationalStatus: input.operationalStatus,
    ...(input.groups === undefined ? {} : { groups: [...new Set(input.groups)] }),
  }
}

/** @throws AppError DEVICE_EUI_INVALID */
function demandFit(externalId: string, preset: Preset): void {
  if (!fitsPreset(externalId, preset)) throw new AppError('DEVICE_EUI_INVALID', { externalId })
}

async function requireFree(tx: Executor, connectorId: number, externalIds: readonly string[]): Promise<void> {
  requireNone(await findTaken(tx, connectorId, externalIds))
}

/** @throws AppError DEVICE_ALREADY_EXISTS */
function requireNone([externalId]: Iterable<string>): void {
  if (externalId !== undefined) throw new AppError('DEVICE_ALREADY_EXISTS', { externalId })
}

/** Handles the race of two users adding the same device. */
async function unlessTaken(externalIds: readonly string[], write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (violatedUnique(error) === undefined) throw error
    throw new AppError(
      'DEVICE_ALREADY_EXISTS',
      externalIds.length === 1 ? { externalId: externalIds[0] } : {},
    )
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
