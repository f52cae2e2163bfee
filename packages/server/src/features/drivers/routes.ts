import { os } from '../../platform/http/implement.ts'
import { acceptancesOf, acceptVersion } from './acceptance/acceptance.ts'
import {
  createComparison,
  getLibraryDriver,
  installDelivered,
  libraryEntries,
  mayInstall,
  upgradeDelivered,
} from './delivered/delivered.ts'
import { countStates, searchLibrary } from './delivered/search.ts'
import {
  createDriver,
  type DriverContext,
  deleteDriver,
  getDriver,
  publishDriver,
  requireDriver,
  updateDriver,
} from './drivers.ts'
import { driverHealthRoutes } from './health/routes.ts'
import { importDrivers } from './importing/importing.ts'
import { deviceScopes, viewerOf } from './policy.ts'
import { listDrivers, listRecentPackets } from './store.ts'
import { tryDriver } from './trying.ts'

/** The operations of drivers. */
export function driverRoutes(ctx: DriverContext) {
  const { db } = ctx
  const compare = createComparison()
  return {
    ...driverHealthRoutes(ctx),
    library: os.devicedrivers.library.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, ...filter } = input
      const entries = await libraryEntries(db, compare)
      const found = searchLibrary(entries, filter)
      return {
        items: found.slice(offset, offset + limit),
        total: found.length,
        offset,
        limit,
        manufacturers: searchLibrary(entries, { orderBy: 'manufacturer' })
          .map(({ manufacturer }) => manufacturer)
          .filter((each, index, all) => each !== all[index - 1]),
        counts: countStates(entries),
        installable: await mayInstall(db, caller),
      }
    }),
    libraryDriver: os.devicedrivers.libraryDriver.handler(({ input, context: { caller } }) =>
      getLibraryDriver(ctx, caller, compare, input.key),
    ),
    install: os.devicedrivers.install.handler(async ({ input, context: { caller } }) => ({
      driverId: await installDelivered(ctx, caller, input.key),
    })),
    upgrade: os.devicedrivers.upgrade.handler(({ input, context: { caller } }) =>
      upgradeDelivered(ctx, caller, compare, input),
    ),
    import: os.devicedrivers.import.handler(async ({ input, context: { caller } }) => ({
      items: await importDrivers(ctx, caller, input),
    })),
    list: os.devicedrivers.list.handler(async ({ input, context: { caller } }) => {
      const found = await listDrivers(db, viewerOf(caller), deviceScopes(caller), input)
      const older = new Set(
        [...(await compare(db)).values()].filter(({ current }) => !current).map(({ driverId }) => driverId),
      )
      const items = found.items.map((item) => ({ ...item, updatable: older.has(item.id) }))
      return { ...found, items, offset: input.offset, limit: input.limit }
    }),
    get: os.devicedrivers.get.handler(({ input, context: { caller } }) =>
      getDriver(db, caller, input.id, input.number),
    ),
    create: os.devicedrivers.create.handler(async ({ input, context: { caller } }) => {
      const id = await createDriver(ctx, caller, input.accountId, input)
      return getDriver(db, caller, id)
    }),
    update: os.devicedrivers.update.handler(async ({ input, context: { caller } }) => {
      const number = await updateDriver(ctx, caller, input)
      return getDriver(db, caller, input.id, number)
    }),
    publish: os.devicedrivers.publish.handler(async ({ input, context: { caller } }) => {
      await publishDriver(ctx, caller, input.id, input.number)
      return getDriver(db, caller, input.id)
    }),
    acceptances: os.devicedrivers.acceptances.handler(({ input, context: { caller } }) =>
      acceptancesOf(db, caller, input),
    ),
    accept: os.devicedrivers.accept.handler(({ input, context: { caller } }) =>
      acceptVersion(ctx, caller, input),
    ),
    delete: os.devicedrivers.delete.handler(async ({ input, context: { caller } }) => {
      await deleteDriver(ctx, caller, input.id)
      return { ok: true as const }
    }),
  }
}

/** Trying drivers. */
export function dispatcherRoutes(ctx: DriverContext) {
  const { db } = ctx
  return {
    parse: os.dispatcher.parse.handler(({ input, context: { caller } }) => tryDriver(ctx, caller, input)),
    parseOfType: os.dispatcher.parseOfType.handler(({ input, context: { caller } }) =>
      tryDriver(ctx, caller, { driverId: input.id, packets: input.packets }),
    ),
    recentPackets: os.dispatcher.recentPackets.handler(async ({ input, context: { caller } }) => {
      await requireDriver(db, caller, input.id)
      const rows = await listRecentPackets(db, input.id, deviceScopes(caller), input.limit)
      return {
        items: rows.map(({ receivedAt, encoding, ...row }) => ({
          ...row,
          receivedAt: receivedAt.toISOString(),
          encoding: encoding === 'hex' ? ('base16' as const) : ('json' as const),
        })),
      }
    }),
  }
}
