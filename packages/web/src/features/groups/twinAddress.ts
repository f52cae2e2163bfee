import type { TwinFilters } from '@leitstand/contract/twins'

/**
 * Changes the query of the list of twins so that a saved filter replaces the current one.
 * @returns null for a filter the list cannot show, created through the API
 */
export function twinAddressOf(filter: TwinFilters): Record<string, string | string[] | undefined> | null {
  const { search, accountIds, types, tags, zones, keyValue, parentId, disabled } = filter
  if (keyValue !== undefined) return null
  return {
    page: undefined,
    favorites: undefined,
    q: search,
    account: accountIds?.map(String),
    type: types,
    tag: tags,
    zone: zones,
    parent: parentId === undefined ? undefined : String(parentId),
    disabled: disabled === undefined ? undefined : disabled ? '1' : '0',
  }
}
