import { type Asset, assetLimits } from '@leitstand/contract/assets'
import type { GeoBounds } from '@leitstand/contract/geo'
import type { GeoHistory, GeoHistoryInput } from '@leitstand/contract/geoHistory'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import { gridOf } from '../../platform/geo/grid.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { tableReply } from '../../platform/tableFiles/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { geoHistory, type TwinsFeature } from '../twins/index.ts'
import { bind, edit, giveBack, importAssets, lend, required, unbind } from './assets.ts'
import { listLoans } from './loans.store.ts'
import { sightOf } from './policy.ts'
import { followAssets } from './positions.ts'
import { listStays } from './stays.store.ts'
import {
  type AssetFilter,
  assetExtent,
  countAssets,
  groupAssets,
  listAssets,
  listCategories,
} from './store.ts'
import { assetTable } from './table.ts'
import { listFreeDevices, listTrackers, trackersIn } from './trackers.store.ts'
import { listZones, zoneChoices, zonesWithin } from './zones.store.ts'

export { assetObjects } from './objects.store.ts'

const dayMs = 86_400_000
/** Trackers of an asset whose movement is read together. */
const trackersMax = 20

/** What callers filter by. */
interface Asked extends Omit<AssetFilter, 'search' | 'overdue' | 'favoritesOf'> {
  search?: string | undefined
  overdue?: boolean | undefined
  today?: string | undefined
  favorites?: boolean | undefined
}

interface Parts {
  series: Pick<SeriesFeature, 'positions'>
  twins: Pick<TwinsFeature, 'followMoves' | 'move'>
}

/** Things that move: where they are, where they belong, and who has them. */
export function registerAssets(ctx: Context, { series, twins }: Parts) {
  const { db, clock } = ctx
  followAssets(ctx, twins)
  const filterOf = (
    caller: Caller,
    { search, overdue, today, favorites, ...others }: Asked,
  ): AssetFilter => ({
    ...others,
    ...(favorites ? { favoritesOf: caller.userId } : {}),
    search: parseSearch(search),
    overdue:
      overdue === undefined
        ? undefined
        : { is: overdue, today: today ?? clock.now().toISOString().slice(0, 10) },
  })
  const isAssetMgmt = {
    fetch: os.isAssetMgmt.fetch.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, order_by: orderBy, ...asked } = input
      const [sight, filter] = [sightOf(caller), filterOf(caller, asked)]
      const items = await listAssets(db, sight, filter, { orderBy, offset, limit })
      return { items, total: await countAssets(db, sight, filter), offset, limit }
    }),
    categoriesZones: os.isAssetMgmt.categoriesZones.handler(async ({ input, context: { caller } }) => {
      const sight = sightOf(caller)
      return {
        categories: await listCategories(db, sight, input, assetLimits.choicesMax),
        zones: await zoneChoices(db, sight, input, assetLimits.choicesMax),
      }
    }),
    geo: os.isAssetMgmt.geo.handler(({ input, context: { caller } }) => onMap(caller, input)),
    exportFile: os.isAssetMgmt.exportFile.handler(async ({ input, context: { caller } }) => {
      const { format, language, order_by: orderBy, ...asked } = input
      const [sight, filter] = [sightOf(caller), filterOf(caller, asked)]
      const isCut = (await countAssets(db, sight, filter)) > assetLimits.fileRowsMax
      const day = clock.now().toISOString().slice(0, 10)
      return tableReply(format, `assets-${day}`, assetTable(db, sight, filter, { orderBy, language, isCut }))
    }),
    zones: os.isAssetMgmt.zones.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, days, search, ...asked } = input
      const now = clock.now()
      const since = new Date(now.getTime() - days * dayMs)
      const filter = { ...asked, search: parseSearch(search) }
      return {
        ...(await listZones(db, sightOf(caller), filter, { since, now, offset, limit })),
        offset,
        limit,
      }
    }),
    devices: os.isAssetMgmt.devices.handler(async ({ input, context: { caller } }) => {
      const { offset, limit } = input
      const page = { search: parseSearch(input.search), offset, limit }
      return { ...(await listFreeDevices(db, sightOf(caller), page)), offset, limit }
    }),
    import: os.isAssetMgmt.import.handler(async ({ input, context: { caller } }) => ({
      ids: await importAssets(ctx, twins, caller, input),
    })),
    get: os.isAssetMgmt.get.handler(({ input: { id }, context: { caller } }) =>
      required(db, sightOf(caller), id),
    ),
    update: os.isAssetMgmt.update.handler(({ input, context: { caller } }) => edit(ctx, caller, input)),
    bindTracker: os.isAssetMgmt.bindTracker.handler(({ input, context: { caller } }) =>
      bind(ctx, twins, caller, input),
    ),
    unbindTracker: os.isAssetMgmt.unbindTracker.handler(({ input: { id }, context: { caller } }) =>
      unbind(ctx, caller, id),
    ),
    trackers: os.isAssetMgmt.trackers.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      const sight = sightOf(caller)
      await required(db, sight, id)
      return { ...(await listTrackers(db, sight, { twinId: id, offset, limit })), offset, limit }
    }),
    stays: os.isAssetMgmt.stays.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      const sight = sightOf(caller)
      await required(db, sight, id)
      return { ...(await listStays(db, sight, { twinId: id, offset, limit })), offset, limit }
    }),
    track: os.isAssetMgmt.track.handler(async ({ input, context: { caller } }) => {
      await required(db, sightOf(caller), input.id)
      return trackOf(input)
    }),
    lend: os.isAssetMgmt.lend.handler(({ input, context: { caller } }) => lend(ctx, caller, input)),
    giveBack: os.isAssetMgmt.giveBack.handler(({ input: { id }, context: { caller } }) =>
      giveBack(ctx, caller, id),
    ),
    loans: os.isAssetMgmt.loans.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      await required(db, sightOf(caller), id)
      return { ...(await listLoans(db, id, { offset, limit })), offset, limit }
    }),
  }

  /** Up to `shownMax` assets one by one; of more, those that are alone in their square of the map, up to as many. */
  async function onMap(
    caller: Caller,
    {
      zoom,
      distance,
      west,
      south,
      east,
      north,
      ...asked
    }: Asked & GeoBounds & { zoom: number; distance: number },
  ) {
    const [sight, filter] = [sightOf(caller), filterOf(caller, asked)]
    const bounds = { west, south, east, north }
    const { shownMax, zonesShownMax } = assetLimits
    const count = await countAssets(db, sight, filter, bounds)
    const [total, extent, zones] = await Promise.all([
      countAssets(db, sight, filter),
      assetExtent(db, sight, filter),
      zonesWithin(db, sight, { accountIds: asked.accountIds }, bounds, zonesShownMax),
    ])
    if (count <= shownMax) {
      const page = { orderBy: 'title', offset: 0, limit: shownMax, within: bounds } as const
      const assets: Asset[] = await listAssets(db, sight, filter, page)
      return { assets, groups: [], zones, count, total, bounds: extent }
    }
    const grid = gridOf(zoom, distance)
    const found = await groupAssets(db, sight, filter, { grid, bounds, limit: groupsMax })
    const alone = found.flatMap(({ count, oneId }) => (count === 1 ? oneId : [])).slice(0, shownMax)
    const page = { orderBy: 'title', offset: 0, limit: shownMax } as const
    const assets = await listAssets(db, sight, { ids: alone }, page)
    const shown = new Set(assets.map(({ id }) => id))
    const groups = found.flatMap(({ oneId, ...group }) => (shown.has(oneId) ? [] : group))
    return { assets, groups, zones, count, total, bounds: extent }
  }

  /** The places of its trackers while they were bound, and those of its own values. */
  async function trackOf({ id, limit, ...asked }: GeoHistoryInput): Promise<GeoHistory> {
    const now = clock.now()
    const own = await geoHistory(series, { id, limit, ...asked }, now)
    const end = asked.end === undefined ? now : new Date(asked.end)
    const start = asked.start === undefined ? new Date(end.getTime() - 7 * dayMs) : new Date(asked.start)
    const trackers = await trackersIn(db, id, { start, end }, trackersMax)
    const parts = [own]
    for (const { deviceId, from, until } of trackers) {
      const part = {
        start: new Date(Math.max(from.getTime(), start.getTime())).toISOString(),
        end: (until !== null && until < end ? until : end).toISOString(),
      }
      if (part.start < part.end) parts.push(await geoHistory(series, { id: deviceId, limit, ...part }, now))
    }
    const items = parts.flatMap((part) => part.items).sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
    return {
      items: items.slice(-limit),
      more: items.length > limit || parts.some(({ more }) => more),
      reports: trackers.length > 0 || own.reports,
    }
  }
  return { routes: { isAssetMgmt } }
}

/** Groups of an answer; the largest come first. */
const groupsMax = 500
