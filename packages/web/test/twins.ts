import type { TwinSummary } from '@leitstand/contract/twins'

/** A twin as lists show it. */
export function twin(id: number, parentId: number | null, childCount = 0, title = `Twin ${id}`): TwinSummary {
  return {
    id,
    title,
    parentId,
    childCount,
    type: 'default',
    icon: null,
    accountId: 1,
    accountName: 'A',
    scopeId: 1,
    parentTitle: null,
    tags: [],
    zones: [],
    latitude: null,
    longitude: null,
    disabled: false,
    hasOwnScope: false,
    stateCount: 0,
    level: null,
    updatedAt: '2026-11-20T08:00:00.000Z',
  }
}
