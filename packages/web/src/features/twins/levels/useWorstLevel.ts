import type { Level } from '@leitstand/contract/states'
import type { TwinSummary } from '@leitstand/contract/twins'
import { useQuery } from '@tanstack/react-query'
import { api, client } from '../../../lib/api.ts'
import { levelEveryMs } from '../kinds.ts'
import { gathered } from './gathered.ts'

/** As the contract allows. */
const idsMax = 1_000

const load = gathered<Level | null>(async (ids) => {
  const { items } = await client.digitaltwin.worstLevels({ ids })
  return new Map(items.map(({ id, level }) => [id, level]))
}, idsMax)

/**
 * The worst level of a twin and everything below it; until it is known, that of its own states. Twins without children
 * need no request.
 */
export function useWorstLevel({ id, level, childCount }: Pick<TwinSummary, 'id' | 'level' | 'childCount'>) {
  const { data } = useQuery({
    queryKey: [...api.digitaltwin.worstLevels.key(), id],
    queryFn: () => load(id),
    enabled: childCount > 0,
    refetchInterval: levelEveryMs,
  })
  return childCount > 0 && data !== undefined ? data : level
}
