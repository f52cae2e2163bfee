import type { MapSettings, ValidMapSettings } from '@leitstand/contract/mapSettings'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { listScopes, stateScopes, writeScopes } from './policy.ts'
import { findMapSettings, listMapStates, removeMapSettings, saveMapSettings } from './store/mapSettings.ts'
import { findObject, type ObjectRow } from './store/objects.ts'
import { objectForChange } from './twins.ts'

export const validSettings = findMapSettings

/** Operations for what the map of a twin begins with and shows at its places. */
export function mapSettingsRoutes({ db }: Pick<Context, 'db'>) {
  return {
    mapSettings: os.digitaltwin.mapSettings.handler(async ({ input: { id }, context: { caller } }) => {
      const twin = await findObject(db, 'digitalTwin', listScopes(caller), id)
      if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id })
      return show(db, caller, twin)
    }),
    setMapSettings: os.digitaltwin.setMapSettings.handler(
      ({ input: { id, version, settings }, context: { caller } }) =>
        db.transaction().execute(async (tx) => {
          const twin = await objectForChange(tx, caller, 'digitalTwin', id)
          const before = await findMapSettings(tx, id)
          if (before.version !== version) throw new AppError('VERSION_CONFLICT', { version: before.version })
          await saveMapSettings(tx, { twinId: id, settings })
          await record(tx, caller, twin, [before.settings, settings])
          return show(tx, caller, twin)
        }),
    ),
    deleteMapSettings: os.digitaltwin.deleteMapSettings.handler(({ input: { id }, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        const twin = await objectForChange(tx, caller, 'digitalTwin', id)
        const before = await findMapSettings(tx, id)
        if (await removeMapSettings(tx, id)) {
          const after = await findMapSettings(tx, id)
          await record(tx, caller, twin, [before.settings, after.settings])
        }
        return show(tx, caller, twin)
      }),
    ),
    mapStates: os.digitaltwin.mapStates.handler(async ({ input, context: { caller } }) => ({
      items: await listMapStates(db, stateScopes(caller).digitalTwin, input.twinId),
    })),
  }
}

/** Who set them is only shown to those who see that twin. */
async function show(db: Executor, caller: Caller, twin: ObjectRow): Promise<ValidMapSettings> {
  const { settings, version, from } = await findMapSettings(db, twin.id)
  const isSeen = from !== null && listScopes(caller).includes(from.scopeId)
  return {
    settings,
    version,
    from: isSeen ? { id: from.id, title: from.title } : null,
    editable: writeScopes(caller, 'digitalTwin').includes(twin.scopeId),
  }
}

async function record(
  tx: Executor,
  caller: Caller,
  { id, title, accountId }: ObjectRow,
  mapSettings: [MapSettings, MapSettings],
): Promise<void> {
  await recordActivity(tx, caller, {
    action: 'update',
    subject: 'DigitalTwin',
    objectId: id,
    objectTitle: title,
    accountId,
    changes: { mapSettings },
  })
}
