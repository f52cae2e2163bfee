import type { Context } from '../../platform/context.ts'
import { gridOf, squareOf } from '../../platform/geo/grid.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { listScopes, stateScopes } from './policy.ts'
import {
  type MapQuery,
  readTwinAreas,
  readTwinClusters,
  readTwinExtent,
  readTwinSquare,
} from './store/geo.ts'

/** Twins on a map. */
export function mapRoutes({ db }: Pick<Context, 'db'>) {
  const queryOf = (caller: Caller, asked: Omit<MapQuery, 'scopes'>): MapQuery => ({
    ...asked,
    scopes: { twins: listScopes(caller), states: stateScopes(caller).digitalTwin },
  })
  return {
    geoMetaInfos: os.digitaltwin.geoMetaInfos.handler(({ input, context: { caller } }) =>
      readTwinExtent(db, queryOf(caller, input)),
    ),
    geoClusters: os.digitaltwin.geoClusters.handler(async ({ input, context: { caller } }) => {
      const { zoom, distance, west, south, east, north, hideStatelessPolygons, ...asked } = input
      const bounds = { west, south, east, north }
      const query = queryOf(caller, asked)
      const [clusters, areas] = await Promise.all([
        readTwinClusters(db, query, gridOf(zoom, distance), bounds),
        readTwinAreas(db, query, { zoom, bounds, onlyWithStates: hideStatelessPolygons }),
      ])
      return { ...clusters, ...areas }
    }),
    geoClusterBreakOpen: os.digitaltwin.geoClusterBreakOpen.handler(
      async ({ input, context: { caller } }) => {
        const { id, offset, limit, ...asked } = input
        const found = squareOf(id)
        const page = { offset, limit }
        if (!found) return { ...page, items: [], total: 0, bounds: null }
        return { ...page, ...(await readTwinSquare(db, queryOf(caller, asked), found, page)) }
      },
    ),
  }
}
