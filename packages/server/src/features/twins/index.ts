import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { SeriesFeature, TwinMove } from '../series/index.ts'
import { ColorKeeper } from './levels/colors.ts'
import { LevelKeeper } from './levels/keeper.ts'
import { keepMembers } from './members/keeper.ts'
import { MoveFeed } from './moves/feed.ts'
import { bothScopes, stateScopes } from './policy.ts'
import { moveTwins } from './positions.ts'
import { relationRoutes } from './relations/routes.ts'
import { twinRoutes } from './routes.ts'
import { stateRoutes } from './stateRoutes.ts'
import { filterVisible } from './store/objects.ts'
import { type FoundState, findStates as findStateRows } from './store/states.ts'
import { conversion } from './values/convert.ts'
import { correction, deletion } from './values/corrections.ts'
import { correctionKind } from './values/pages.ts'
import { valueRoutes } from './values/routes.ts'
import { deleteOldUploads } from './values/store.ts'
import { uploading } from './values/upload/upload.ts'

export { changesOf } from './changes.ts'
export { dependenciesOf, loadStateUses } from './dependencies.ts'
export { editTwin } from './edit.ts'
export { addAndRemove, setAndRemove } from './editFields.ts'
export { type ObjectInput, uniqueReferences } from './fields.ts'
export { filesOf } from './files.store.ts'
export { geoHistory } from './geoHistory.ts'
export { twinMap } from './map.ts'
export { AccountKeeper } from './members/accountKeeper.ts'
export { copyQueries, reachNow, reachOf, toStore } from './members/index.ts'
export { foundTwins, type OwnedReach, type Reach } from './members/store.ts'
export { twinObjects } from './objects.store.ts'
export {
  bothScopes,
  type Category,
  listScopes,
  readScopes,
  requireWrite,
  type ScopesByCategory,
  stateScopes,
  writeScopes,
} from './policy.ts'
export {
  aggregateSources,
  isAggregate,
  isSettable,
  listeningSources,
  withSourceStates,
} from './sources/index.ts'
export type { CheckedSource, StateInput } from './sources/types.ts'
export { checkState } from './stateFields.ts'
export { statesMax } from './states.ts'
export { findUnusedStates, hasForeignAggregates } from './store/dependencies.ts'
export * from './store/filters.ts'
export { lockLinks, replaceLinks, wouldLoop } from './store/links.ts'
export { copyMapSettings } from './store/mapSettings.ts'
export {
  addKeyValues,
  ancestorsOf,
  deleteObject,
  findObject,
  insertObjects,
  loadAncestors,
  loadSurroundings,
  type NewObject,
  type ObjectRow,
  type Place,
  setDisabled,
  touchObjects,
  updateObject,
} from './store/objects.ts'
export { type CopiedLink, copyStates, linkCopies, type TwinPair } from './store/stateCopies.ts'
export { type FoundState, listStates, lockStates, stateSearch } from './store/states.ts'
export {
  addStates,
  addStatesOfNew,
  deleteStates,
  fedState,
  fixStates,
  releaseStates,
  retypeStates,
  type WantedState,
} from './store/stateWrites.ts'
export {
  listChildIds,
  listTagsAndZones,
  listTwinIds,
  loadTwinSummaries,
  narrowedScopes,
  type Page,
  twinsIn,
} from './store/twins.list.ts'
export { deleteTwin, lockIfMoving, moveObject, objectForChange, placeFor, withPosition } from './twins.ts'

import { deleteUnusedTexts } from './texts/store.ts'
import { deleteOldUndos } from './undo/store.ts'

export { isNoChange } from './undo/change.ts'
export {
  deleteUndone,
  findUndo,
  keepUndo,
  listUndoTwins,
  reserveUndo,
  undoSingle,
  undoTwin,
} from './undo/index.ts'

const cleanQueue = 'twins.undo.clean'

export type TwinsFeature = ReturnType<typeof register>

const textQueue = 'states.texts.clean'
const uploadQueue = 'values.clean'
/** As long as the jobs that store their values. */
const uploadKeptMs = 90 * 24 * 3_600_000

/** Digital twins and the states of twins and devices. */
export function register(ctx: Context, { series, jobs }: { series: SeriesFeature; jobs: JobsFeature }) {
  const followers: (() => boolean)[] = []
  series.moveWith((tx, moves) =>
    moveTwins(
      ctx,
      tx,
      moves,
      followers.some((follows) => follows()),
    ),
  )
  ctx.jobs.work(cleanQueue, () => deleteOldUndos(ctx.db, ctx.clock.now()), { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '*/5 * * * *')
  const members = keepMembers(ctx, series)
  const levels = new LevelKeeper(ctx, series)
  const colors = new ColorKeeper(ctx, series)
  const moves = new MoveFeed(ctx, series)
  const tools = { ctx, series, jobs }
  jobs.define(correctionKind(tools, conversion))
  jobs.define(correctionKind(tools, correction))
  jobs.define(correctionKind(tools, deletion))
  jobs.define(correctionKind(tools, uploading))
  const clean = () => deleteOldUploads(ctx.db, new Date(ctx.clock.now().getTime() - uploadKeptMs))
  ctx.jobs.work(uploadQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(uploadQueue, '37 3 * * *')
  const cleanTexts = async () => {
    await deleteUnusedTexts(ctx.db)
  }
  ctx.jobs.work(textQueue, cleanTexts, { pollSeconds: 60 })
  ctx.jobs.schedule(textQueue, '47 3 * * *')
  return {
    routes: {
      digitaltwin: twinRoutes(ctx, { series, levels, colors }),
      state: stateRoutes(tools),
      stateValue: valueRoutes(tools),
      userRelation: relationRoutes(ctx),
    },
    /** Brings the members of aggregates by query up to date; also runs automatically. */
    refreshMembers: (): Promise<void> => members.look(),
    /** Sets when moves of twins by their values are events, for their consumers; others always are. */
    followMoves: (follows: () => boolean): void => void followers.push(follows),
    /** Moves twins for a feature that knows where they are. @returns to call after the commit: shows them on maps */
    move: async (tx: Executor, moved: readonly TwinMove[]): Promise<() => void> => {
      if (moved.length === 0) return () => undefined
      await moveTwins(ctx, tx, moved)
      return () => moves.note(moved.map(({ twinId }) => twinId))
    },
    /** Maps read the levels and colours of twins as they are kept. */
    keepers: { levels, colors },
    start: async (): Promise<void> => {
      members.start()
      levels.start()
      moves.start()
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all([members.stop(), levels.stop(), moves.stop()])
    },
    /** Filters the twins and devices the caller may read. */
    visible: (db: Executor, caller: Caller, ids: readonly number[]): Promise<Set<number>> =>
      filterVisible(db, bothScopes(caller, 'read'), ids),
    /** Whether the caller may read all of these twins and devices. */
    mayRead: async (caller: Caller, ids: readonly number[]): Promise<boolean> => {
      const visible = await filterVisible(ctx.db, bothScopes(caller, 'read'), ids)
      return ids.every((id) => visible.has(id))
    },
    /**
     * The states visible to the caller, with title, unit, twin and current value, in the order of the ids.
     */
    findStates: (caller: Caller, stateIds: readonly number[], db: Executor = ctx.db): Promise<FoundState[]> =>
      findStateRows(db, stateScopes(caller), stateIds),
  }
}
