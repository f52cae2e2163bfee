import { fieldsOf, variableNames } from '@leitstand/contract/parsers'
import type { DriverChange } from '@leitstand/contract/virtualdevices'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAccepted } from '../drivers/index.ts'
import {
  addStates,
  addStatesOfNew,
  deleteStates,
  fedState,
  findUnusedStates,
  loadStateUses,
  lockLinks,
  lockStates,
  retypeStates,
} from '../twins/index.ts'
import {
  type DeviceColumns,
  type DriverContent,
  hasDriver,
  loadDevice,
  loadDriverContent,
} from './store/devices.ts'
import { type FedState, listFedStates } from './store/states.ts'
import { type DriverState, statesOf, typesOf } from './variables.ts'

type DriverOfDevice = Pick<DeviceColumns, 'driverId' | 'driverVersion'>
type NewDriver = Pick<DeviceColumns, 'driverId'> & { content: DriverContent | null }

/** The effect of a driver change on the states of a device. */
interface Plan {
  /** unused states of variables the new driver does not have: deleted with their history */
  deleted: FedState[]
  /** states of such variables that are in use: unchanged */
  kept: FedState[]
  /** states of variables in both, but with another type: current value deleted, history kept */
  retyped: FedState[]
  variables: DriverState[]
}

/** Call it before locking anything else of a device, in the same order as storing values does. */
export async function lockStatesOfDevice(tx: Executor, deviceId: number): Promise<void> {
  await lockLinks(tx)
  await lockStates(tx, deviceId)
}

/**
 * Changes the states of a device to those of another driver. Deletes unused states of variables the new
 * driver does not have; states of variables in both keep their history. A driver that does not declare its
 * variables changes nothing. The caller must have called `lockStatesOfDevice`.
 * @param after with the driver's content, null without a driver
 * @returns keys of the deleted states
 */
export async function changeDriver(
  tx: Executor,
  deviceId: number,
  before: DriverOfDevice,
  after: NewDriver,
  now: Date,
): Promise<string[]> {
  const { deleted, retyped, variables } = await planChange(tx, deviceId, before, after)
  await deleteStates(
    tx,
    deleted.map(({ id }) => id),
  )
  const types = new Map(variables.map((variable) => [variable.key, variable]))
  await retypeStates(
    tx,
    retyped.flatMap(({ id, variable }) => {
      const type = types.get(variable)
      return type === undefined ? [] : [{ id, valueType: type.valueType, unit: type.unit }]
    }),
    now,
  )
  await addMissingStates(tx, deviceId, variables, now)
  return deleted.map(({ key }) => key)
}

/** Adds a state for each variable without one. Existing states are unchanged. */
export async function addMissingStates(
  tx: Executor,
  deviceId: number,
  variables: readonly DriverState[],
  now: Date,
): Promise<void> {
  const fed = new Set((await listFedStates(tx, deviceId)).map(({ variable }) => variable))
  const missing = variables.filter(({ key }) => !fed.has(key))
  await addStates(tx, [{ twinIds: [deviceId], states: missing.map(fedState) }], { now })
}

/** Previews `changeDriver`, with the visible uses of the states that are kept. */
export async function previewDriver(
  db: Executor,
  caller: Caller,
  device: { id: number; accountId: number },
  after: DriverOfDevice,
): Promise<DriverChange> {
  const content = await contentOf(db, device.accountId, after)
  const before = await loadDevice(db, device.id)
  const { deleted, kept, retyped } = await planChange(db, device.id, before, { ...after, content })
  const uses = await loadStateUses(
    db,
    caller,
    kept.map(({ id }) => id),
  )
  return { deleted: deleted.map(brief), kept: kept.map(brief), retyped: retyped.map(brief), uses }
}

function brief({ id, key, title, time }: FedState) {
  return { id, key, title, time: time?.toISOString() ?? null }
}

async function planChange(
  db: Executor,
  deviceId: number,
  before: DriverOfDevice,
  { driverId, content }: NewDriver,
): Promise<Plan> {
  const variables = content === null ? [] : statesOf(content)
  const isAnother = before.driverId !== null && before.driverId !== driverId
  const read = content === null ? null : variablesOf(content)
  if (content === null || read === null || !isAnother)
    return { deleted: [], kept: [], retyped: [], variables }
  const states = await listFedStates(db, deviceId)
  const leaving = states.filter(({ variable }) => !read.has(variable))
  const unused = new Set(
    await findUnusedStates(
      db,
      leaving.map((state) => state.id),
    ),
  )
  const types = typesOf(content)
  return {
    deleted: leaving.filter((state) => unused.has(state.id)),
    kept: leaving.filter((state) => !unused.has(state.id)),
    // The type of a transformed value was chosen by a user.
    retyped: states.filter(({ variable, valueType, transformed }) => {
      const wanted = types.get(variable)
      return !transformed && wanted !== undefined && wanted !== valueType
    }),
    variables,
  }
}

/**
 * All variables a driver reads; null if unknown, because a script may read more than its golden packets show.
 */
function variablesOf(content: DriverContent): Set<string> | null {
  const { parser, variables, golden } = content
  if (variables.length === 0 && fieldsOf(parser).length === 0) return null
  return new Set([...variableNames(content), ...golden.flatMap(({ expected }) => Object.keys(expected))])
}

/**
 * Adds states for the driver variables of new devices with the same driver.
 * @param content of their driver, null without one
 */
export async function addDriverStates(
  tx: Executor,
  devices: readonly { twinId: number; scopeId: number }[],
  content: DriverContent | null,
  now: Date,
): Promise<void> {
  if (content === null) return
  await addStatesOfNew(tx, devices, statesOf(content).map(fedState), now)
}

/**
 * The driver content of a device in this account; null without a driver. The driver must be available to the
 * account, and a fixed version must exist.
 * @throws AppError DEVICEDRIVER_NOT_FOUND
 */
async function contentOf(
  db: Executor,
  accountId: number,
  { driverId, driverVersion }: DriverOfDevice,
): Promise<DriverContent | null> {
  if (driverId === null) return null
  const content = await loadDriverContent(db, driverId, driverVersion, accountId)
  if (!content) throw new AppError('DEVICEDRIVER_NOT_FOUND', { id: driverId, number: driverVersion })
  return content
}

type DriverInAccount = DriverOfDevice & { accountId: number }

/** Equal for devices with the same driver content. */
export function likeness({ driverId, driverVersion, accountId }: DriverInAccount): string {
  return `${driverId} ${driverVersion} ${accountId}`
}

/**
 * The driver content of devices, by `likeness`, in the versions that their accounts accept here or have accepted.
 * @param devices each with the version of the driver that the caller accepts
 * @throws AppError DEVICEDRIVER_NOT_FOUND, and those of `requireAccepted`
 */
export async function contentsFor(
  tx: Executor,
  caller: Caller,
  devices: readonly (DriverInAccount & { number: number | undefined })[],
  now: Date,
): Promise<Map<string, DriverContent | null>> {
  const contents = await contentsOf(tx, devices)
  const unaccepted = devices.filter((each) => contents.get(likeness(each))?.isAccepted === false)
  if (unaccepted.length === 0) return contents
  await requireAccepted(tx, caller, unaccepted.filter(hasDriver), now)
  return contentsOf(tx, devices)
}

/** The driver content of devices, by `likeness`. @throws AppError DEVICEDRIVER_NOT_FOUND */
async function contentsOf(
  db: Executor,
  devices: readonly DriverInAccount[],
): Promise<Map<string, DriverContent | null>> {
  const contents = new Map<string, DriverContent | null>()
  for (const device of devices) {
    const like = likeness(device)
    if (!contents.has(like)) contents.set(like, await contentOf(db, device.accountId, device))
  }
  return contents
}
