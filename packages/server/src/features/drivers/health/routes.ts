import type { Context } from '../../../platform/context.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { requireDriver } from '../drivers.ts'
import { deviceScopes, deviceWriteScopes, requireManage } from '../policy.ts'
import { readSync, requestSync } from './store.ts'

/** Applying the health configuration of a driver to its devices. */
export function driverHealthRoutes({ db }: Context) {
  return {
    healthSync: os.devicedrivers.healthSync.handler(async ({ input, context: { caller } }) => {
      const { id } = await requireDriver(db, caller, input.id)
      return readSync(db, id, deviceScopes(caller))
    }),
    syncHealth: os.devicedrivers.syncHealth.handler(async ({ input, context: { caller } }) => {
      const driver = await requireDriver(db, caller, input.id)
      requireManage(caller, driver.scopeId)
      await db.transaction().execute(async (tx) => {
        await requestSync(tx, driver.id, input.takeOver ? deviceWriteScopes(caller) : [])
        await recordActivity(tx, caller, {
          action: 'health-sync',
          subject: 'DeviceDriver',
          objectId: driver.id,
          objectTitle: driver.title,
          accountId: driver.accountId,
          changes: { takeOver: input.takeOver },
        })
      })
      return readSync(db, driver.id, deviceScopes(caller))
    }),
  }
}
