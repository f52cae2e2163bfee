import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { findObject, readScopes } from '../twins/index.ts'
import { changeConfig, getHealth, healthLog, ignoreEntry, syncDevice } from './health.ts'
import { readSources } from './sources.store.ts'

/** The operations of device health. */
export function healthRoutes(ctx: Context) {
  const { db } = ctx
  return {
    get: os.health.get.handler(({ input, context: { caller } }) => getHealth(db, caller, input.id)),
    updateConfig: os.health.updateConfig.handler(
      async ({ input: { id, version, x, config }, context: { caller } }) => {
        if (x === 'own' && config === undefined)
          throw new AppError('VALIDATION_ERROR', { field: 'config' }, 'A configuration is needed')
        await changeConfig(ctx, caller, { id, version, config: x === 'own' ? (config ?? null) : null })
        return getHealth(db, caller, id)
      },
    ),
    sync: os.health.sync.handler(async ({ input, context: { caller } }) => {
      await syncDevice(ctx, caller, input.id)
      return getHealth(db, caller, input.id)
    }),
    ignoreEntry: os.health.ignoreEntry.handler(async ({ input, context: { caller } }) => {
      await ignoreEntry(ctx, caller, input)
      return getHealth(db, caller, input.id)
    }),
    sources: os.health.sources.handler(async ({ input: { id }, context: { caller } }) => {
      const twin = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
      if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
      return { items: await readSources(db, id, readScopes(caller, 'virtualDevice')) }
    }),
    log: os.health.log.handler(({ input, context: { caller } }) => healthLog(db, caller, input)),
  }
}
