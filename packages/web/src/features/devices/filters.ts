import { healthCategories } from '@leitstand/contract/health'
import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'

const orderKeys = [
  'title',
  'externalId',
  'lastSeen',
  'health',
  'operationalStatus',
  'createdAt',
  'updatedAt',
  'id',
] as const

/** Choices of "last seen older than", in minutes. */
export const silenceMinutes = [15, 60, 360, 1440, 4320, 10_080, 43_200] as const

/** Maximum of the list operation. */
const silentMinutesMax = 10_000_000

/** Input of the list operation from the list's state. Invalid values from an old link are dropped. */
export function deviceListInput(params: ListParams) {
  const { filters } = params
  const silent = whole(filters.silent)?.find((minutes) => minutes >= 1 && minutes <= silentMinutesMax)
  const problems = healthCategories.filter((category) => filters.problem?.includes(category))
  const state = filters.state?.[0]
  return {
    offset: params.offset,
    limit: params.limit,
    search_items: params.search,
    account_ids: params.accountIds,
    connector_ids: ids(filters.connector),
    bridge_types: filters.type ? [...filters.type] : undefined,
    driver_ids: ids(filters.driver),
    template_ids: ids(filters.template),
    groups: filters.group ? [...filters.group] : undefined,
    tags: filters.tag ? [...filters.tag] : undefined,
    zones: filters.zone ? [...filters.zone] : undefined,
    operational_status: whole(filters.status)?.filter((code) => code <= 5),
    health: whole(filters.health)?.filter((code) => code <= 4),
    health_categories: problems.length > 0 ? problems : undefined,
    last_seen_older_minutes: silent,
    key_value: filters.keyvalue?.[0],
    reference_id: filters.reference?.[0],
    disabled: state === 'disabled' ? true : state === 'enabled' ? false : undefined,
    favorites: params.favorites,
    order_by: orderOf(params.orderBy, orderKeys),
  }
}

/** Ids of a filter; undefined when it names none. */
function ids(values: readonly string[] | undefined): number[] | undefined {
  const known = whole(values)?.filter((id) => id >= 1)
  return known !== undefined && known.length > 0 ? known : undefined
}

/** Whole numbers of a filter; undefined when it names none. */
function whole(values: readonly string[] | undefined): number[] | undefined {
  const numbers = (values ?? []).filter((value) => /^\d{1,9}$/.test(value)).map(Number)
  return numbers.length > 0 ? numbers : undefined
}

/** Minutes as the largest whole unit: 1440 → `{ unit: 'days', count: 1 }`. */
export function silenceUnit(minutes: number): { unit: 'minutes' | 'hours' | 'days'; count: number } {
  if (minutes % 1440 === 0) return { unit: 'days', count: minutes / 1440 }
  if (minutes % 60 === 0) return { unit: 'hours', count: minutes / 60 }
  return { unit: 'minutes', count: minutes }
}

/** The list's filter in its saved form: without page, order and empty values. */
export function filterOf(params: ListParams): DeviceFilters {
  const { offset: _, limit: __, order_by: ___, search_items, favorites, ...rest } = deviceListInput(params)
  const given = Object.entries(rest).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return {
    ...(search_items === undefined ? {} : { search_items: [search_items] }),
    ...(favorites ? { favorites } : {}),
    ...Object.fromEntries(given),
  }
}
