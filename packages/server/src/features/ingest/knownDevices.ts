import { GroupedCache } from '../../platform/groupedCache.ts'
import type { DeviceRecord } from './store.ts'

/** Maximum number of devices, about 1 KB each. */
const devicesMax = 120_000

type Known = Pick<DeviceRecord, 'id'> & {
  driver: Pick<NonNullable<DeviceRecord['driver']>, 'driverId'> | null
}

const ofDevice = (id: number) => `device ${id}`
const ofDriver = (id: number | null) => `driver ${id ?? 'none'}`

/** Devices by the name of their address, forgotten by their ids or those of their drivers. */
export class KnownDevices<D extends Known = DeviceRecord> {
  readonly #devices = new GroupedCache<string, D, string>({
    max: devicesMax,
    groupsOf: ({ id, driver }) => [ofDevice(id), ofDriver(driver?.driverId ?? null)],
  })

  get(name: string): D | undefined {
    return this.#devices.get(name)
  }

  set(name: string, device: D): void {
    this.#devices.set(name, device)
  }

  /** Forgets these devices. */
  forget(ids: readonly number[]): void {
    for (const id of ids) this.#devices.deleteGroup(ofDevice(id))
  }

  /** Forgets the devices of these drivers, and those without one, which may have got one of them. */
  forgetDrivers(driverIds: readonly number[]): void {
    for (const id of [...driverIds, null]) this.#devices.deleteGroup(ofDriver(id))
  }

  clear(): void {
    this.#devices.clear()
  }
}
