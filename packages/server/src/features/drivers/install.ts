import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../platform/context.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { libraryDrivers, localise } from './library/index.ts'
import {
  deliveredBy,
  findRootAccount,
  insertDriver,
  insertVersion,
  listDelivered,
  lockInstallation,
  publishVersion,
} from './store.ts'

/** All delivered drivers are functions. */
const plainFunction = { parser: { kind: 'function' as const }, calculated: [] }

/** Language of the delivered texts; the console's default. */
const language = 'de'

/**
 * Installs the delivered drivers for the root account, visible to everyone, and brings those that are installed up to
 * date: a changed one becomes a new version. It is published when the version in use came with the platform, too;
 * where somebody has published a version of their own, that one stays in use.
 * @returns how many drivers were installed and how many got a new version; null while there is no account
 */
export async function installLibrary(
  ctx: Pick<Context, 'db' | 'clock'>,
): Promise<{ installed: number; updated: number } | null> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockInstallation(tx)
    const root = await findRootAccount(tx)
    if (!root) return null
    const now = ctx.clock.now()
    const known = new Map((await listDelivered(tx)).map((driver) => [driver.libraryKey, driver]))
    const result = { installed: 0, updated: 0 }
    for (const delivered of libraryDrivers()) {
      const { libraryKey, script, variables, golden, health, ...meta } = localise(delivered, language)
      const content = { ...plainFunction, script, variables, golden, health }
      const present = known.get(libraryKey)
      if (present && isDeepStrictEqual(present.content, content)) continue
      const id =
        present?.id ??
        (await insertDriver(tx, { ...root, libraryKey }, { ...meta, visibility: 'everyone' }, now))
      const number = await insertVersion(tx, id, content, { note: '', createdBy: deliveredBy, now })
      if (!present || present.publishedVersion === present.number) await publishVersion(tx, id, number, now)
      result[present ? 'updated' : 'installed']++
      await recordActivity(tx, system(deliveredBy), {
        action: present ? 'update' : 'create',
        subject: 'DeviceDriver',
        objectId: id,
        objectTitle: meta.title,
        accountId: root.accountId,
      })
    }
    return result
  })
}
