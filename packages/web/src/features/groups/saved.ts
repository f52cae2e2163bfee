import type { DeviceFilters } from '@leitstand/contract/virtualdevices'

/** Address parameters of a filter's parts; the others cannot be set in the list. */
const names = {
  account_ids: 'account',
  connector_ids: 'connector',
  bridge_types: 'type',
  driver_ids: 'driver',
  template_ids: 'template',
  groups: 'group',
  tags: 'tag',
  zones: 'zone',
  operational_status: 'status',
  health: 'health',
  health_categories: 'problem',
  last_seen_older_minutes: 'silent',
  key_value: 'keyvalue',
  reference_id: 'reference',
} as const satisfies Partial<Record<keyof DeviceFilters, string>>

type Change = Record<string, string | string[] | undefined>

/**
 * Changes the list's query so that a saved filter replaces the current one.
 * @returns null for a filter the list cannot show, created through the API
 */
export function addressOf(filter: DeviceFilters): Change | null {
  const { search_items, search_operator: _, parent_id, ids, favorites, disabled, ...named } = filter
  if (parent_id !== undefined || ids !== undefined || (search_items?.length ?? 0) > 1) return null
  const change: Change = {
    page: undefined,
    q: search_items?.[0],
    favorites: favorites ? '1' : undefined,
    state: disabled === undefined ? undefined : disabled ? 'disabled' : 'enabled',
  }
  for (const [key, name] of Object.entries(names)) {
    const value = named[key as keyof typeof names]
    change[name] = Array.isArray(value) ? value.map(String) : value === undefined ? undefined : String(value)
  }
  return change
}

/** Whether two filters are equivalent; the order of the selected values does not matter. */
export function isSameFilter(one: DeviceFilters, other: DeviceFilters): boolean {
  return plain(one) === plain(other)
}

function plain(filter: DeviceFilters): string {
  const entries = Object.entries(filter)
    .filter(([key, value]) => value !== undefined && (key !== 'favorites' || value === true))
    .map(([key, value]) => [key, Array.isArray(value) ? value.map(String).toSorted() : value])
  return JSON.stringify(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}
