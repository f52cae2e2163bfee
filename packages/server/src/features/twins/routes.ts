import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { titledFor } from '../drivers/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { geoHistory } from './geoHistory.ts'
import type { ColorKeeper } from './levels/colors.ts'
import type { LevelKeeper } from './levels/keeper.ts'
import { listTwins } from './list.ts'
import { mapRoutes } from './map.ts'
import { previewMove } from './movePreview.ts'
import { createOwnScope, deleteOwnScope } from './ownScope.ts'
import { bothScopes, listScopes, readScopes, stateScopes } from './policy.ts'
import { readWorstLevels } from './store/levels.ts'
import { findObject } from './store/objects.ts'
import { listStates } from './store/states.ts'
import {
  findAncestorIds,
  listChildIds,
  listTagsAndZones,
  listTopIds,
  listTwinIds,
  loadTwinSummaries,
} from './store/twins.list.ts'
import { createTwin, deleteTwin, getTwin, setTwinDisabled, twinDependencies, updateTwin } from './twins.ts'
import { keepUndo } from './undo/index.ts'

/** Maximum hits of a search in the tree; with more, users must narrow the search. */
const treeHitsMax = 500

/** The operations of digital twins. */
export function twinRoutes(
  ctx: Context,
  {
    series,
    levels,
    colors,
  }: { series: Pick<SeriesFeature, 'positions'>; levels: LevelKeeper; colors: ColorKeeper },
) {
  const { db } = ctx
  const requireTwin = async (caller: Caller, id: number): Promise<void> => {
    const row = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
    if (!row) throw new AppError('DTWIN_NOT_FOUND', { id })
  }
  const seen = (caller: Caller) => ({ twins: listScopes(caller), states: stateScopes(caller).digitalTwin })
  return {
    list: os.digitaltwin.list.handler(({ input, context: { caller } }) => listTwins(db, caller, input)),
    movePreview: os.digitaltwin.movePreview.handler(
      ({ input: { id, parentId = null }, context: { caller } }) => previewMove(db, caller, { id, parentId }),
    ),
    children: os.digitaltwin.children.handler(async ({ input, context: { caller } }) => {
      const scopeIds = listScopes(caller)
      const found =
        input.id === 0
          ? await listTopIds(db, scopeIds, input.accountIds, input)
          : await listChildIds(db, scopeIds, input.id, input)
      return page(input, found.total, await loadTwinSummaries(db, seen(caller), found.ids))
    }),
    partialTree: os.digitaltwin.partialTree.handler(async ({ input, context: { caller } }) => {
      const scopeIds = listScopes(caller)
      const { search, accountIds, twinId } = input
      const filter = { search, accountIds, ...(twinId === undefined ? {} : { ids: [twinId] }) }
      const range = { offset: 0, limit: treeHitsMax, orderBy: 'title' }
      const found = await listTwinIds(db, scopeIds, filter, range)
      const ancestors = await findAncestorIds(db, scopeIds, found.ids)
      const ids = [...new Set([...ancestors, ...found.ids])]
      return {
        items: await loadTwinSummaries(db, seen(caller), ids),
        hitIds: found.ids,
        more: found.total > treeHitsMax,
      }
    }),
    worstLevels: os.digitaltwin.worstLevels.handler(async ({ input, context: { caller } }) => {
      await levels.bringUpToDate()
      return { items: await readWorstLevels(db, seen(caller), input.ids) }
    }),
    ...mapRoutes(ctx, { levels, colors }),
    tagsZones: os.digitaltwin.tagsZones.handler(({ context: { caller } }) =>
      listTagsAndZones(db, 'digitalTwin', listScopes(caller)),
    ),
    get: os.digitaltwin.get.handler(({ input, context: { caller } }) => getTwin(db, caller, input.id)),
    create: os.digitaltwin.create.handler(async ({ input, context: { caller } }) => {
      const id = await createTwin(ctx, caller, input)
      return getTwin(db, caller, id)
    }),
    update: os.digitaltwin.update.handler(async ({ input, context: { caller } }) => {
      const now = ctx.clock.now()
      const undo = await db.transaction().execute(async (tx) => {
        const parentId = await updateTwin(tx, caller, input, now)
        const change = parentId.before === parentId.after ? {} : { parentId }
        return keepUndo(tx, { twinId: input.id, change }, now)
      })
      return { ...(await getTwin(db, caller, input.id)), undo }
    }),
    delete: os.digitaltwin.delete.handler(async ({ input, context: { caller } }) => {
      await db.transaction().execute((tx) => deleteTwin(tx, caller, input.id))
      return { ok: true as const }
    }),
    setDisabled: os.digitaltwin.setDisabled.handler(async ({ input, context: { caller } }) => {
      const { id, flag: disabled } = input
      const now = ctx.clock.now()
      const undo = await db.transaction().execute(async (tx) => {
        const deviceIds = await setTwinDisabled(tx, caller, { id, disabled }, now)
        const change = deviceIds ? { disabled: { after: disabled, deviceIds } } : {}
        return keepUndo(tx, { twinId: id, change }, now)
      })
      return { ...(await getTwin(db, caller, id)), undo }
    }),
    createScope: os.digitaltwin.createScope.handler(async ({ input, context: { caller } }) => ({
      scopeId: await createOwnScope(ctx, caller, input.id),
    })),
    deleteScope: os.digitaltwin.deleteScope.handler(async ({ input, context: { caller } }) => {
      await deleteOwnScope(ctx, caller, input.id)
      return { ok: true as const }
    }),
    dependencies: os.digitaltwin.dependencies.handler(async ({ input, context: { caller } }) => {
      await requireTwin(caller, input.id)
      return twinDependencies(db, caller, input.id)
    }),
    geoHistory: os.digitaltwin.geoHistory.handler(async ({ input, context: { caller } }) => {
      await requireTwin(caller, input.id)
      return geoHistory(series, input, ctx.clock.now())
    }),
    states: os.digitaltwin.states.handler(async ({ input, context: { caller } }) => {
      const scopes = bothScopes(caller, 'read')
      const twin =
        (await findObject(db, 'digitalTwin', scopes.digitalTwin, input.id)) ??
        (await findObject(db, 'virtualDevice', scopes.virtualDevice, input.id))
      if (!twin) throw new AppError('DTWIN_NOT_FOUND', { id: input.id })
      const states = await listStates(db, scopes, twin.id)
      return { items: states.map((state) => titledFor(caller, state)) }
    }),
  }
}

function page<T>({ offset, limit }: { offset: number; limit: number }, total: number, items: T[]) {
  return { items, total, offset, limit }
}
