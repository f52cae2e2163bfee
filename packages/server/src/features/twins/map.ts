import type { GeoBounds } from '@leitstand/contract/geo'
import type { Markers } from '@leitstand/contract/mapSettings'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { gridOf, squareOf } from '../../platform/geo/grid.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import type { LevelKeeper } from './levels/keeper.ts'
import { mapSettingsRoutes, validSettings } from './mapSettings.ts'
import { listScopes, stateScopes } from './policy.ts'
import {
  type MapQuery,
  readTwinAreas,
  readTwinClusters,
  readTwinExtent,
  readTwinSquare,
} from './store/geo.ts'
import { withMarkers } from './store/markers.ts'

interface ClusterQuery extends MapQuery, GeoBounds {
  zoom: number
  distance: number
  hideStatelessPolygons: boolean
  markers?: Markers | undefined
}

type SquareQuery = MapQuery & { id: string; offset: number; limit: number }

/** Twins on a map, of the scopes of a query. */
export const twinMap = {
  extent: readTwinExtent,
  /** Clusters and polygons in view. */
  clusters: async (db: Executor, query: ClusterQuery, levels: Pick<LevelKeeper, 'bringUpToDate'>) => {
    const { zoom, distance, west, south, east, north, hideStatelessPolygons, markers, ...selection } = query
    const bounds = { west, south, east, north }
    const grid = gridOf(zoom, distance)
    await levels.bringUpToDate()
    const [clusters, areas] = await Promise.all([
      readTwinClusters(db, selection, grid, bounds),
      readTwinAreas(db, selection, { zoom, bounds, onlyWithStates: hideStatelessPolygons }),
    ])
    return withMarkers(db, { ...clusters, ...areas }, { query: selection, grid, bounds, markers })
  },
  /** The map settings that are valid for a twin. */
  settings: validSettings,
  /** One page of the members of a cluster. */
  square: async (db: Executor, { id, offset, limit, ...selection }: SquareQuery) => {
    const found = squareOf(id)
    const page = { offset, limit }
    if (!found) return { ...page, items: [], total: 0, bounds: null }
    return { ...page, ...(await readTwinSquare(db, selection, found, page)) }
  },
}

/** Operations for maps of twins. */
export function mapRoutes(ctx: Pick<Context, 'db'>, levels: LevelKeeper) {
  const { db } = ctx
  const scoped = <Asked extends object>(caller: Caller, asked: Asked) => ({
    ...asked,
    scopes: { twins: listScopes(caller), states: stateScopes(caller).digitalTwin },
  })
  return {
    geoMetaInfos: os.digitaltwin.geoMetaInfos.handler(({ input, context: { caller } }) =>
      twinMap.extent(db, scoped(caller, input)),
    ),
    geoClusters: os.digitaltwin.geoClusters.handler(({ input, context: { caller } }) =>
      twinMap.clusters(db, scoped(caller, input), levels),
    ),
    geoClusterBreakOpen: os.digitaltwin.geoClusterBreakOpen.handler(({ input, context: { caller } }) =>
      twinMap.square(db, scoped(caller, input)),
    ),
    ...mapSettingsRoutes(ctx),
  }
}
