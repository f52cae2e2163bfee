import { clustersFrom } from '@leitstand/contract/virtualdevices'
import type { Context } from '../../../platform/context.ts'
import { gridOf, squareOf } from '../../../platform/geo/grid.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { type GeoQuery, readClusters, readExtent, readSquare } from '../store/geo.ts'
import { filterOf, type Selection, scopesOf } from './filter.ts'

/** Devices on a map. */
export function geoRoutes({ db, clock }: Context) {
  const queryOf = async (caller: Caller, asked: Selection): Promise<GeoQuery> => ({
    scopeIds: await scopesOf(db, caller, asked),
    filter: filterOf(asked, caller, clock.now()),
  })
  return {
    geoClusterCheck: os.virtualdevice.geoClusterCheck.handler(async ({ input, context: { caller } }) => {
      const { total, placed } = await readExtent(db, await queryOf(caller, input))
      return { total, placed, needsClusters: placed >= clustersFrom }
    }),
    geoMetaInfos: os.virtualdevice.geoMetaInfos.handler(async ({ input, context: { caller } }) =>
      readExtent(db, await queryOf(caller, input)),
    ),
    geoClusters: os.virtualdevice.geoClusters.handler(async ({ input, context: { caller } }) => {
      const { zoom, distance, west, south, east, north, ...asked } = input
      const bounds = { west, south, east, north }
      return readClusters(db, await queryOf(caller, asked), gridOf(zoom, distance), bounds)
    }),
    geoClusterBreakOpen: os.virtualdevice.geoClusterBreakOpen.handler(
      async ({ input, context: { caller } }) => {
        const { id, offset, limit, ...asked } = input
        const found = squareOf(id)
        const page = { offset, limit }
        if (!found) return { ...page, items: [], total: 0, bounds: null }
        const query = await queryOf(caller, asked)
        return { ...page, ...(await readSquare(db, query, found.grid, found.square, page)) }
      },
    ),
  }
}
