import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { type Range, rangeEnds } from '../../lib/range.ts'
import { useThrottled } from '../../lib/throttle.ts'
import type { MapBounds } from '../../ui/map/MapView.tsx'

/** Where something was, from `time` until it was last seen there. */
export interface Place {
  time: string
  until: string
  latitude: number
  longitude: number
}

export type Category = 'digitalTwin' | 'virtualDevice'

/** A twin or device whose way is shown. */
export interface Moving {
  id: number
  title: string
  latitude: number | null
  longitude: number | null
}

export const keyOf = ({ time }: Place): string => time
export const nameOf = ({ time }: Place): string => formatTime(time)

/** Places fetched at once; older ones are asked for. */
const pageSize = 500
/** A tracker that sends every second is asked again at most this often. */
const refreshEveryMs = 5_000

/** The way of a twin or device in a range, up to date while it moves with the present. */
export function useTrack(category: Category, id: number, range: Range) {
  const cache = useQueryClient()
  const { geoHistory } = category === 'virtualDevice' ? api.virtualdevice : api.digitaltwin
  const rangeKey = JSON.stringify(range)
  // The ends stay where they are while pages are fetched, else older pages would not fit the newer ones.
  const [openedAtMs] = useState(() => Date.now())
  const start = new Date(rangeEnds(range, openedAtMs).fromMs).toISOString()
  const end = 'preset' in range ? undefined : new Date(range.toMs).toISOString()
  const options = geoHistory.infiniteOptions({
    input: (before: string | undefined) => ({
      id,
      limit: pageSize,
      start,
      ...(before === undefined ? (end === undefined ? {} : { end }) : { end: before }),
    }),
    queryKey: [...geoHistory.key(), id, rangeKey],
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ more, items }) => (more ? items[0]?.time : undefined),
    placeholderData: keepPreviousData,
  })
  const query = useInfiniteQuery(options)
  const refresh = useThrottled(
    () => void cache.invalidateQueries({ queryKey: options.queryKey }),
    refreshEveryMs,
  )
  useLive(end === undefined ? `twin:${id}` : null, (message) => {
    if (message.kind === 'resync') refresh()
    if (message.kind === 'values' && message.values.some(({ key }) => /^(lat|lon)/i.test(key))) refresh()
  })
  const pages = query.data?.pages
  const places = useMemo(() => pages?.toReversed().flatMap((page) => page.items), [pages])
  return {
    /** oldest first; undefined while nothing was read yet */
    places,
    /** changes when other places are looked at, not when the device moves on */
    view: query.isPlaceholderData ? undefined : `${rangeKey} ${pages?.length ?? 0}`,
    /** whether it has states that say where it is */
    reports: pages?.[0]?.reports ?? false,
    error: query.error,
    retry: () => void query.refetch(),
    older: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    loadingOlder: query.isFetchingNextPage,
  }
}

/** The part of the world all of these lie in; undefined for none. */
export function boundsAround(
  places: readonly { latitude: number; longitude: number }[],
): MapBounds | undefined {
  if (places.length === 0) return undefined
  const bounds = { west: 180, south: 90, east: -180, north: -90 }
  for (const { latitude, longitude } of places) {
    bounds.west = Math.min(bounds.west, longitude)
    bounds.east = Math.max(bounds.east, longitude)
    bounds.south = Math.min(bounds.south, latitude)
    bounds.north = Math.max(bounds.north, latitude)
  }
  return bounds
}
