import type { GeoBounds } from '@leitstand/contract/geo'
import type { Markers } from '@leitstand/contract/mapSettings'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { gridOf, squareOf } from '../../platform/geo/grid.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import type { ColorKeeper } from './levels/colors.ts'
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
import type { MarkerColors } from './store/markerColors.ts'
import { asksMarkers, withMarkers } from './store/markers.ts'

interface ClusterQuery extends MapQuery, GeoBounds {
  zoom: number
  distance: number
  hideStatelessPolygons: boolean
  markers?: Markers | undefined
}

/** What maps read besides the tables; both must be up to date. */
export interface Keepers {
  levels: Pick<LevelKeeper, 'bringUpToDate'>
  colors: Pick<ColorKeeper, 'find' | 'read'>
}

/** From so many twins in view on, the colours of clusters are kept. */
const manyMin = 1_000

const countOf = (clusters: readonly { count: number }[]) =>
  clusters.reduce((sum, { count }) => sum + count, 0)

type SquareQuery = MapQuery & { id: string; offset: number; limit: number }

/** Twins on a map, of the scopes of a query. */
export const twinMap = {
  extent: readTwinExtent,
  /** Clusters and polygons in view. */
  clusters: async (db: Executor, query: ClusterQuery, { levels, colors }: Keepers) => {
    const { zoom, distance, west, south, east, north, hideStatelessPolygons, markers, ...selection } = query
    const bounds = { west, south, east, north }
    const grid = gridOf(zoom, distance)
    const asked = asksMarkers(markers) ? markers : undefined
    const [kept] = await Promise.all([
      asked && colors.find(asked, selection.scopes.states),
      levels.bringUpToDate(),
    ])
    const read = (kept: MarkerColors | undefined) =>
      readTwinClusters(db, selection, { grid, bounds, colors: kept })
    const [clusters, areas] = await Promise.all([
      read(kept).then(async (found) => {
        // Few twins are looked at one by one, so that a small part of a large installation is answered at once.
        if (!asked || kept || countOf(found.items) < manyMin)
          return { ...found, isColored: kept !== undefined }
        return { ...(await read(await colors.read(asked, selection.scopes.states))), isColored: true }
      }),
      readTwinAreas(db, selection, { zoom, bounds, onlyWithStates: hideStatelessPolygons }),
    ])
    const { isColored, ...found } = clusters
    return withMarkers(db, { ...found, ...areas }, { query: selection, grid, bounds, markers, isColored })
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
export function mapRoutes(ctx: Pick<Context, 'db'>, keepers: Keepers) {
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
      twinMap.clusters(db, scoped(caller, input), keepers),
    ),
    geoClusterBreakOpen: os.digitaltwin.geoClusterBreakOpen.handler(({ input, context: { caller } }) =>
      twinMap.square(db, scoped(caller, input)),
    ),
    ...mapSettingsRoutes(ctx),
  }
}
