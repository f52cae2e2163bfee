import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { changeConfig, getHealth, healthLog, ignoreEntry, syncDevice } from './health.ts'

/** The operations of device health. */
export function healthRoutes(ctx: Context) {
  const { db } = ctx
  return {
    health: os.virtualdevice.health.handler(({ input, context: { caller } }) =>
      getHealth(db, caller, input.id),
    ),
    updateHealthConfig: os.virtualdevice.updateHealthConfig.handler(
      async ({ input: { id, version, x, config }, context: { caller } }) => {
        if (x === 'own' && config === undefined)
          throw new AppError('VALIDATION_ERROR', { field: 'config' }, 'A configuration is needed')
        await changeConfig(ctx, caller, { id, version, config: x === 'own' ? (config ?? null) : null })
        return getHealth(db, caller, id)
      },
    ),
    syncHealth: os.virtualdevice.syncHealth.handler(async ({ input, context: { caller } }) => {
      await syncDevice(ctx, caller, input.id)
      return getHealth(db, caller, input.id)
    }),
    ignoreHealthEntry: os.virtualdevice.ignoreHealthEntry.handler(async ({ input, context: { caller } }) => {
      await ignoreEntry(ctx, caller, input)
      return getHealth(db, caller, input.id)
    }),
    healthLog: os.virtualdevice.healthLog.handler(({ input, context: { caller } }) =>
      healthLog(db, caller, input),
    ),
  }
}
