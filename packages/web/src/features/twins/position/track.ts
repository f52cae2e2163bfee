import { useThrottledCallback } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../../lib/api.ts'
import { useLive } from '../../../lib/live.ts'
import { type Range, rangeEnds } from '../../../lib/range.ts'
import { reread } from '../../../lib/reread.ts'

export type Category = 'digitalTwin' | 'virtualDevice'

/** Positions per page; older ones are loaded on demand. */
const pageSize = 500
/** Minimum time between reloads of a tracker that sends every second. */
const refreshEveryMs = 5_000

/** The track of a twin or device in a range; updated live if the range follows the present. */
export function useTrack(category: Category, id: number, range: Range) {
  const cache = useQueryClient()
  const { geoHistory } = category === 'virtualDevice' ? api.virtualdevice : api.digitaltwin
  const rangeKey = JSON.stringify(range)
  // The ends stay fixed while pages are loaded, so that older pages match the newer ones.
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
  const refresh = useThrottledCallback(() => void reread(cache, options.queryKey), refreshEveryMs)
  useLive(end === undefined ? `twin:${id}` : null, (message) => {
    if (message.kind === 'resync') refresh()
    if (message.kind === 'values' && message.values.some(({ key }) => /^(lat|lon)/i.test(key))) refresh()
  })
  const pages = query.data?.pages
  const places = useMemo(() => pages?.toReversed().flatMap((page) => page.items), [pages])
  return {
    /** oldest first; undefined while loading */
    places,
    /** changes with the displayed range, not when the device moves */
    view: query.isPlaceholderData ? undefined : `${rangeKey} ${pages?.length ?? 0}`,
    /** whether it has states that report a position */
    reports: pages?.[0]?.reports ?? false,
    error: query.error,
    retry: () => void query.refetch(),
    older: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    loadingOlder: query.isFetchingNextPage,
  }
}
