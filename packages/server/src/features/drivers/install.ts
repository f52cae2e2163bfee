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

/** A delivered driver as it is stored: about the device, and what makes its version. */
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
 * On the first start installs all delivered drivers for the topmost account, visible to everyone. From then on new ones
 * and newer versions wait in the library until somebody takes them: how live traffic is read changes by nobody's doing
 * but a person's.
 * @returns how many drivers were installed; null while there is no account
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
