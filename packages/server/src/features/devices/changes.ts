import type { BulkChanges } from '@leitstand/contract/bulk'
import { limits } from '@leitstand/contract/common'
import { AppError } from '../../platform/errors.ts'

/** Fields of a device a bulk edit can change. */
interface Editable {
  tags: string[]
  zones: string[]
  groups: string[]
  keyValues: Record<string, string>
  operationalStatus: number
  driverId: number | null
  driverVersion: number | null
  parentId: number | null
  description: string
  icon: string | null
  address: string
  floorNumber: number | null
}

/**
 * Returns a device with the changes applied. Fields not named are kept, as is the order of existing entries.
 * @throws AppError VALIDATION_ERROR when it would have too many tags, zones, groups or key-values
 */
export function editFields<T extends Editable>(device: T, changes: BulkChanges): T {
  const { tags, zones, groups, keyValues, driver } = changes
  return {
    ...device,
    ...(tags ? { tags: bounded('tags', addAndRemove(device.tags, tags), limits.tagsMax) } : {}),
    ...(zones ? { zones: bounded('zones', addAndRemove(device.zones, zones), limits.tagsMax) } : {}),
    ...(groups ? { groups: bounded('groups', addAndRemove(device.groups, groups), limits.tagsMax) } : {}),
    ...(keyValues ? { keyValues: setAndRemove(device.keyValues, keyValues) } : {}),
    ...(driver
      ? { driverId: driver.driverId, driverVersion: driver.driverId === null ? null : driver.driverVersion }
      : {}),
    operationalStatus: changes.operationalStatus ?? device.operationalStatus,
    parentId: changes.parentId === undefined ? device.parentId : changes.parentId,
    description: changes.description ?? device.description,
    icon: changes.icon === undefined ? device.icon : changes.icon,
    address: changes.address ?? device.address,
    floorNumber: changes.floorNumber === undefined ? device.floorNumber : changes.floorNumber,
  }
}

/**
 * Whether all devices of an edit must belong to one account, because tags, zones, groups, driver and parent
 * do.
 */
export function needsOneAccount({ tags, zones, groups, driver, parentId }: BulkChanges): boolean {
  const isLinked = (driver?.driverId ?? null) !== null
  return isLinked || [tags, zones, groups, parentId].some((each) => each !== undefined)
}

function addAndRemove(
  before: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  return [...new Set([...before, ...add])].filter((each) => !remove.includes(each))
}

function setAndRemove(
  before: Readonly<Record<string, string>>,
  { set, remove }: { set: Readonly<Record<string, string>>; remove: readonly string[] },
): Record<string, string> {
  const after = Object.entries({ ...before, ...set }).filter(([key]) => !remove.includes(key))
  return Object.fromEntries(bounded('keyValues', after, limits.keyValuesMax))
}

function bounded<T>(field: string, values: T[], max: number): T[] {
  if (values.length > max) throw new AppError('VALIDATION_ERROR', { field, max }, `${field}: at most ${max}`)
  return values
}
