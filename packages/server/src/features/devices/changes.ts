import type { BulkChanges } from '@leitstand/contract/bulk'
import { addAndRemove, setAndRemove } from '../twins/index.ts'

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
    ...(tags ? { tags: addAndRemove('tags', device.tags, tags) } : {}),
    ...(zones ? { zones: addAndRemove('zones', device.zones, zones) } : {}),
    ...(groups ? { groups: addAndRemove('groups', device.groups, groups) } : {}),
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
