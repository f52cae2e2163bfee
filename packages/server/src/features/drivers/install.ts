import type { Context } from '../../platform/context.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { hadDrivers, insertDelivered } from './delivered/store.ts'
import { type LibraryDriver, libraryDrivers, localise } from './library/index.ts'
import {
  type DriverMeta,
  deliveredBy,
  findRootAccount,
  lockInstallation,
  type VersionContent,
} from './store.ts'

/** All delivered drivers are functions. */
const plainFunction = { parser: { kind: 'function' as const }, calculated: [] }

/** Language of the delivered texts; the console's default. */
const language = 'de'

/** A delivered driver as stored: metadata of the device and content of the version. */
export function toStored(driver: LibraryDriver): {
  libraryKey: string
  meta: DriverMeta
  content: VersionContent
} {
  const { libraryKey, script, variables, golden, health, downlinks, ...meta } = localise(driver, language)
  return {
    libraryKey,
    meta: { ...meta, visibility: 'everyone' },
    content: { ...plainFunction, script, variables, golden, health, downlinks },
  }
}

/**
 * Installs all delivered drivers for the topmost account on the first start, visible to everyone. Later, new
 * drivers and versions stay in the library until a user installs them, so that the decoding of live traffic
 * never changes automatically.
 * @returns the number of installed drivers; null if there is no account yet
 */
export async function installLibrary(ctx: Pick<Context, 'db' | 'clock'>): Promise<number | null> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockInstallation(tx)
    const root = await findRootAccount(tx)
    if (!root) return null
    if (await hadDrivers(tx)) return 0
    const drivers = libraryDrivers().map(toStored)
    await insertDelivered(tx, root, drivers, ctx.clock.now())
    await recordActivity(tx, system(deliveredBy), {
      action: 'install',
      subject: 'DeviceDriver',
      objectId: null,
      objectTitle: '',
      accountId: root.accountId,
      changes: { installed: drivers.map(({ libraryKey }) => libraryKey) },
    })
    return drivers.length
  })
}
