import type { SmartGroup } from '@leitstand/contract/smartGroups'
import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'

export const refreshMs = 30_000

/** The devices of a group as a filter of the device list: those of its account unless it names others. */
export function devicesOf({ filter, accountId }: Pick<SmartGroup, 'filter' | 'accountId'>): DeviceFilters {
  return { ...filter, account_ids: filter.account_ids ?? [accountId] }
}

export const deviceCounts = (id: number) =>
  api.smartGroup.deviceStatistics.queryOptions({ input: { id }, refetchInterval: refreshMs })

export function invalidateGroups(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.smartGroup.key() })
}
