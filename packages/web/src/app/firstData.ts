import type { FetchQueryOptions } from '@tanstack/react-query'
import { api, queryClient } from '../lib/api.ts'
import { defaultPageSize } from '../lib/pageSize.ts'
import type { Session } from '../lib/session.ts'
import { asks } from './asks.ts'

interface Wanted {
  /** of the address; NaN where it has none */
  id: number
  size: number
}

const favorites = () => api.favorite.list.queryOptions()
const accounts = () => api.tenant.fetchAll.queryOptions()

/**
 * The queries that a screen begins with, for answers that `public/boot.js` has requested already (`asks.ts`). With the same input as
 * the screen's own, else both are requested.
 */
export const firstQueries: Readonly<Record<string, (wanted: Wanted) => object[]>> = {
  '/home': () => [favorites()],
  '/virtual-devices': ({ size }) => [
    accounts(),
    api.virtualdevice.list.queryOptions({
      input: {
        offset: 0,
        limit: size,
        favorites: false,
        order_by: 'title',
        include_identifiers: true,
        include_properties: true,
      },
    }),
  ],
  '/virtual-devices/$id': ({ id }) => [favorites(), api.virtualdevice.get.queryOptions({ input: { id } })],
  '/digitaltwin-mgmt': () => [accounts()],
  '/digitaltwin-mgmt/$id': ({ id }) => [favorites(), api.digitaltwin.get.queryOptions({ input: { id } })],
  '/digitaltwin-mgmt/map/twin/$twinId': ({ id }) => [
    accounts(),
    api.digitaltwin.get.queryOptions({ input: { id } }),
    api.digitaltwin.mapSettings.queryOptions({ input: { id } }),
    api.floor.list.queryOptions({ input: { id } }),
    api.digitaltwin.geoMetaInfos.queryOptions({ input: { twinId: id, excludeZones: false } }),
  ],
  '/dashboards/$id': ({ id }) => [favorites(), api.dashboards.get.queryOptions({ input: { id } })],
  '/digitaltwin/rules-monitor': () => [accounts()],
  '/virtual-device-drivers/$id': ({ id }) => [api.devicedrivers.get.queryOptions({ input: { id } })],
  '/alarm-logs': () => [accounts()],
}

/** How long a screen waits for its first data before it is shown without. */
const waitMaxMs = 150
let isFirst = true

/**
 * Puts the early answers of the first screen where its queries find them, so that it is rendered once: with its data, and not
 * without them before. Whatever takes longer arrives as usual.
 * @param address path of the screen, `id` in it, and whether it has a search
 */
export async function awaitFirstData(
  { path, id, hasSearch }: { path: string; id: string | undefined; hasSearch: boolean },
  session: Session,
): Promise<void> {
  const [isOpening, wanted] = [isFirst, firstQueries[path]]
  isFirst = false
  if (!isOpening || !wanted || window.leitstandAsked === undefined) return
  // As `public/boot.js`: lists with filters and words in place of a number are not asked for early.
  if ((hasSearch && asks[path]?.isList) || (id !== undefined && !/^[1-9]\d*$/.test(id))) return
  const size =
    (session.status === 'user' ? session.user.properties.userDefaults?.pagination : undefined) ??
    defaultPageSize
  const reads = wanted({ id: Number(id), size }).map((options) =>
    queryClient.prefetchQuery(options as FetchQueryOptions),
  )
  await Promise.race([Promise.all(reads), new Promise((resolve) => setTimeout(resolve, waitMaxMs))])
}
