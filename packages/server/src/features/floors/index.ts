import { cornersOfBounds, floorLimits, type Overlay } from '@leitstand/contract/floors'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { contentOf, findFile, removeFile } from '../files/index.ts'
import { findObject, objectForChange, readScopes } from '../twins/index.ts'
import { findOverlay, findPlan, isPlanOf, listFloors, savePlan } from './store.ts'

export { copyPlan } from './store.ts'

export type FloorsFeature = ReturnType<typeof registerFloors>

/** Floors of buildings: their plans, and where these lie on the map. */
export function registerFloors(ctx: Context) {
  const { db } = ctx
  const routes = {
    floor: {
      list: os.floor.list.handler(async ({ input: { id }, context: { caller } }) => {
        const scopeIds = readScopes(caller, 'digitalTwin')
        if (!(await findObject(db, 'digitalTwin', scopeIds, id)))
          throw new AppError('DTWIN_NOT_FOUND', { id })
        return page(await listFloors(db, scopeIds, id))
      }),
      place: os.floor.place.handler(({ input, context: { caller } }) => {
        const { id, fileId, opacity, northEast, southWest } = input
        const corners =
          input.corners ?? (northEast && southWest ? cornersOfBounds(northEast, southWest) : undefined)
        if (corners === undefined) throw new Error('the contract lets no plan pass without a place')
        return db.transaction().execute(async (tx) => {
          const twin = await floorForChange(tx, caller, id)
          if (!(await isPlanOf(tx, fileId, id))) throw new AppError('FILE_NOT_FOUND', { id: fileId })
          const before = await findOverlay(tx, id)
          await savePlan(tx, id, { fileId, corners, opacity })
          const after = await findOverlay(tx, id)
          if (after === null) throw new Error('a floor plan was not stored')
          await recordActivity(tx, caller, {
            action: 'update',
            subject: 'DigitalTwin',
            objectId: id,
            objectTitle: twin.title,
            accountId: twin.accountId,
            changes: { overlay: [placeOf(before), placeOf(after)] },
          })
          return after
        })
      }),
      remove: os.floor.remove.handler(async ({ input: { id }, context: { caller } }) => {
        const scopeIds = readScopes(caller, 'digitalTwin')
        if (!(await findObject(db, 'digitalTwin', scopeIds, id)))
          throw new AppError('DTWIN_NOT_FOUND', { id })
        const fileId = await findPlan(db, id)
        if (fileId === undefined) throw new AppError('FILE_NOT_FOUND')
        await removeFile(ctx, caller, fileId)
        return { ok: true as const }
      }),
    },
  }
  return {
    routes,
    /** The floors of a twin among these scopes, as `floor.list` answers. */
    list: async (scopeIds: readonly number[], id: number) => page(await listFloors(db, scopeIds, id)),
    /** The picture of the plan of a floor. @throws AppError FILE_NOT_FOUND */
    plan: async (twinId: number): Promise<{ file: File; hash: string }> => {
      const overlay = await findOverlay(db, twinId)
      const stored = overlay ? await findFile(db, overlay.fileId) : undefined
      if (!stored) throw new AppError('FILE_NOT_FOUND')
      return { file: await contentOf(db, stored), hash: stored.hash }
    },
  }
}

function page(floors: Awaited<ReturnType<typeof listFloors>>) {
  return { items: floors.slice(0, floorLimits.floorsMax), more: floors.length > floorLimits.floorsMax }
}

/** Locks a floor that the caller may change. @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DTWIN_NOT_A_FLOOR */
async function floorForChange(tx: Executor, caller: Caller, id: number) {
  const twin = await objectForChange(tx, caller, 'digitalTwin', id)
  if (twin.type !== 'floor') throw new AppError('DTWIN_NOT_A_FLOOR', { id })
  return twin
}

/** For the activity log. */
const placeOf = (overlay: Overlay | null) => overlay && { corners: overlay.corners, opacity: overlay.opacity }
