import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { DeviceRecord } from './store.ts'

/** Maximum number of devices, about 1 KB each. */
const devicesMax = 120_000

type Known = Pick<DeviceRecord, 'id'> & {
  driver: Pick<NonNullable<DeviceRecord['driver']>, 'driverId'> | null
}

/** Devices by the name of their address, forgotten by their ids or those of their drivers. */
export class KnownDevices<D extends Known = DeviceRecord> {
  #kept = empty<D>()

  get(name: string): D | undefined {
    return this.#kept.devices.get(name)
  }

  set(name: string, device: D): void {
    const { devices, nameById, namesByDriver } = this.#kept
    devices.set(name, device)
    nameById.set(device.id, name)
    const driverId = device.driver?.driverId ?? null
    const names = namesByDriver.get(driverId)
    if (names === undefined) namesByDriver.set(driverId, new Set([name]))
    else names.add(name)
  }

  /** Forgets these devices. */
  forget(ids: readonly number[]): void {
    const { devices, nameById } = this.#kept
    for (const id of ids) {
      const name = nameById.get(id)
      if (name !== undefined) devices.delete(name)
    }
  }

  /** Forgets the devices of these drivers, and those without one, which may have got one of them. */
  forgetDrivers(driverIds: readonly number[]): void {
    const { devices, namesByDriver } = this.#kept
    for (const driverId of [...driverIds, null])
      for (const name of [...(namesByDriver.get(driverId) ?? [])]) devices.delete(name)
  }

  /** Forgets all. Removing a hundred thousand one by one would hold up everybody. */
  clear(): void {
    this.#kept = empty()
  }
}

function empty<D extends Known>() {
  const nameById = new Map<number, string>()
  const namesByDriver = new Map<number | null, Set<string>>()
  const devices = new LRUCache<string, D>({
    ...upTo(devicesMax),
    dispose: ({ id, driver }, name) => {
      // A device at another address by now is known by that.
      if (nameById.get(id) === name) nameById.delete(id)
      const driverId = driver?.driverId ?? null
      const names = namesByDriver.get(driverId)
      names?.delete(name)
      if (names?.size === 0) namesByDriver.delete(driverId)
    },
  })
  return { devices, nameById, namesByDriver }
}
