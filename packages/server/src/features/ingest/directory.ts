import { retentionMonthsDefault } from '@leitstand/contract/accounts'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import type { HealthPlan } from '../drivers/index.ts'
import { KnownDevices } from './knownDevices.ts'
import {
  type DeviceRecord,
  type DriverRecord,
  findDevices,
  findDriverVersions,
  findListeners,
  type ListenerRecord,
  readDrivers,
  readRetention,
} from './store.ts'

/** Maximum number of cached driver versions; devices keep those they use. */
const driversMax = 5_000
/** Maximum number of addresses with cached listeners; most have none. */
const listenersMax = 120_000
/** Maximum number of cached health plans of template publications. */
const plansMax = 1_000

export interface Address {
  connectorId: number
  key: string
}

const nameOf = ({ connectorId, key }: Address) => `${connectorId} ${key}`
const nameOfDriver = ({ driverId, number }: { driverId: number; number: number }) => `${driverId} ${number}`

/**
 * Resolves identifiers of connectors to devices and states. Bounded caches, invalidated by table change
 * notifications; data read while a notification arrived is not cached.
 */
export class Directory {
  readonly #ctx: Context
  readonly #devices = new KnownDevices()
  /** driver versions in use, by `nameOfDriver` */
  readonly #drivers = new LRUCache<string, DriverRecord>(upTo(driversMax))
  #listeners = new LRUCache<string, ListenerRecord[]>(upTo(listenersMax))
  /** health plans of templates, which thousands of devices may share */
  readonly #plans = new LRUCache<string, { plan: HealthPlan | null }>(upTo(plansMax))
  /** months by account; replaced when accounts change, so that what was read before is not kept */
  #retention = new Map<number, number>()
  #generation = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
    const { configChanges } = ctx
    configChanges.on('virtual_devices', (ids) => this.#forgetDevices(ids))
    configChanges.on('twins', (ids) => this.#forgetDevices(ids))
    configChanges.on('states', (ids) => this.#forgetDevices(ids))
    configChanges.on('drivers', (ids) => this.#forgetDrivers(ids))
    configChanges.on('driver_acceptances', (ids) => this.#forgetDrivers(ids))
    configChanges.on('accounts', () => this.#forgetRetention())
  }

  /** Devices by address; unknown ones are missing and not cached. */
  async devices(addresses: readonly Address[]): Promise<Map<string, DeviceRecord>> {
    const generation = this.#generation
    const { found, missing } = this.#lookUp(this.#devices, addresses)
    if (missing.length === 0) return found
    const records = await findDevices(this.#ctx.db, missing, (key, make) => this.#shared(key, make))
    const drivers = await this.#driversOf(records.map(({ id }) => id))
    for (const record of records) {
      const device: DeviceRecord = { ...record, driver: drivers.get(record.id) ?? null }
      const name = nameOf({ connectorId: device.connectorId, key: device.externalId })
      found.set(name, device)
      if (generation !== this.#generation) continue
      this.#devices.set(name, device)
    }
    return found
  }

  #shared(key: string, make: () => HealthPlan | null): HealthPlan | null {
    const known = this.#plans.get(key) ?? { plan: make() }
    this.#plans.set(key, known)
    return known.plan
  }

  /** Drivers by device. Devices share one record per version, so that its script is in memory only once. */
  async #driversOf(deviceIds: readonly number[]): Promise<Map<number, DriverRecord>> {
    const { db } = this.#ctx
    const versions = await findDriverVersions(db, deviceIds)
    const generation = this.#generation
    const known = new Map<string, DriverRecord>()
    const missing: { driverId: number; number: number }[] = []
    for (const [name, [version]] of Map.groupBy(versions.values(), nameOfDriver)) {
      const driver = this.#drivers.get(name)
      if (driver !== undefined) known.set(name, driver)
      else if (version !== undefined) missing.push(version)
    }
    for (const driver of await readDrivers(db, missing)) {
      known.set(nameOfDriver(driver), driver)
      if (generation === this.#generation) this.#drivers.set(nameOfDriver(driver), driver)
    }
    return new Map(
      [...versions].flatMap(([deviceId, version]): [number, DriverRecord][] => {
        const driver = known.get(nameOfDriver(version))
        return driver === undefined ? [] : [[deviceId, driver]]
      }),
    )
  }

  /** States of twins that listen to an address. */
  async listeners(addresses: readonly Address[]): Promise<Map<string, ListenerRecord[]>> {
    const generation = this.#generation
    const { found, missing } = this.#lookUp(this.#listeners, addresses)
    if (missing.length === 0) return found
    const byName = Map.groupBy(await findListeners(this.#ctx.db, missing), nameOf)
    for (const address of missing) {
      const name = nameOf(address)
      const records = byName.get(name) ?? []
      found.set(name, records)
      if (generation === this.#generation) this.#listeners.set(name, records)
    }
    return found
  }

  /** The oldest accepted time by account id. */
  async oldest(accountIds: Iterable<number>, now: Date): Promise<Map<number, Date>> {
    const ids = new Set(accountIds)
    const retention = this.#retention
    const missing = [...ids].filter((id) => !retention.has(id))
    if (missing.length > 0) {
      const found = await readRetention(this.#ctx.db, missing)
      // Most accounts have no setting of their own or above; they must not be looked up with every batch.
      for (const id of missing) retention.set(id, found.get(id) ?? retentionMonthsDefault)
    }
    return new Map([...ids].map((id) => [id, monthsBefore(now, retention.get(id) ?? retentionMonthsDefault)]))
  }

  /** Clears all caches after a batch found outdated data. */
  clear(): void {
    this.#forgetDevices('*')
    this.#forgetRetention()
  }

  #forgetRetention(): void {
    this.#retention = new Map()
  }

  #lookUp<V extends {}>(cache: { get(name: string): V | undefined }, addresses: readonly Address[]) {
    const found = new Map<string, V>()
    const missing = new Map<string, Address>()
    for (const address of addresses) {
      const name = nameOf(address)
      const record = cache.get(name)
      if (record === undefined) missing.set(name, address)
      else found.set(name, record)
    }
    return { found, missing: [...missing.values()] }
  }

  #forgetDevices(ids: ChangedIds): void {
    this.#generation++
    // Not cleared: that takes as long as the cache is large, even if it is empty.
    if (this.#listeners.size > 0) this.#listeners = new LRUCache(upTo(listenersMax))
    if (ids === '*') {
      this.#devices.clear()
      this.#drivers.clear()
    } else this.#devices.forget(ids)
  }

  #forgetDrivers(ids: ChangedIds): void {
    if (ids === '*') {
      this.#forgetDevices(ids)
      return
    }
    this.#generation++
    this.#devices.forgetDrivers(ids)
    const changed = new Set(ids)
    for (const [name, { driverId }] of [...this.#drivers.entries()])
      if (changed.has(driverId)) this.#drivers.delete(name)
  }
}

function monthsBefore(now: Date, months: number): Date {
  const date = new Date(now)
  date.setUTCMonth(date.getUTCMonth() - months)
  return date
}
