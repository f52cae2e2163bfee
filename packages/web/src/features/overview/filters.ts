import { attributeChoices, type StateCondition, StateFilter } from '@leitstand/contract/overview'
import type { StateViewFilter } from '@leitstand/contract/views'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'

const orderKeys = ['twin', 'title', 'value', 'time', 'id'] as const

/** Choices of "value older than", in minutes. */
export const silenceMinutes = [15, 60, 360, 1440, 4320, 10_080, 43_200] as const

/** Maximum of the operation. */
const silentMinutesMax = 5_256_000
const textLengthMax = 200

/** Value of the filter by the last value for states that never had one. */
export const never = 'never'

type Condition = StateCondition | undefined
type Values = readonly string[] | undefined

/** The quick filters as conditions, by key. Invalid values from an old link are dropped. */
const quick: Record<string, (values: Values) => Condition> = {
  category: (values) => choice('twin_category', values),
  type: (values) => choice('stateType', values),
  source: (values) => choice('sourceType', values),
  tag: (values) => texts('twin_tags', 'contains', values),
  group: (values) => texts('vdevice_groups', 'contains', values),
  unit: (values) => texts('unit', 'equals', values),
  variable: (values) => texts('parserVariable', 'contains', values),
  identifier: (values) => texts('sourceIdentifier', 'contains', values),
  keyvalue: (values) => texts('twin_key_value', 'contains', values),
  driver: (values) => {
    const ids = (values ?? []).filter((id) => /^[1-9]\d{0,8}$/.test(id)).map(Number)
    return ids.length > 0 ? { attribute: 'device_driver_id', operator: 'equals', value: ids } : undefined
  },
  silent: (values) => {
    const value = values?.[0] ?? ''
    if (value === never) return { attribute: 'timestamp', operator: 'isNull' }
    const minutes = /^\d{1,9}$/.test(value) ? Number(value) : 0
    if (minutes < 1 || minutes > silentMinutesMax) return undefined
    return { attribute: 'timestamp', operator: 'valueOlderThan', value: minutes }
  },
  place: (values) => {
    if (values?.[0] === 'with') return { attribute: 'geolocation', operator: 'isNotNull' }
    return values?.[0] === 'without' ? { attribute: 'geolocation', operator: 'isNull' } : undefined
  },
}

/** Keys of the quick filters in the address. */
export const quickKeys = Object.keys(quick)

/** The values of an attribute with a fixed set. */
export const choicesOf = (attribute: keyof typeof attributeChoices): readonly string[] =>
  attributeChoices[attribute]

function choice(attribute: keyof typeof attributeChoices, values: Values): Condition {
  const known = (values ?? []).filter((value) => choicesOf(attribute).includes(value))
  return known.length > 0 ? { attribute, operator: 'equals', value: known } : undefined
}

function texts(
  attribute: StateCondition['attribute'],
  operator: StateCondition['operator'],
  values: Values,
): Condition {
  const given = (values ?? []).map((value) => value.trim()).filter((value) => value !== '')
  const short = given.filter((value) => value.length <= textLengthMax)
  return short.length > 0 ? { attribute, operator, value: short } : undefined
}

/** Address parameter of the filter that was built by hand, as JSON. */
export const builtKey = 'where'

/** The filter in the address; undefined if there is none or it is not valid. */
export function readBuilt(text: string | undefined): StateFilter | undefined {
  if (!text) return undefined
  try {
    return StateFilter.safeParse(JSON.parse(text)).data
  } catch {
    // An address that was cut off.
    return undefined
  }
}

/** Everything that narrows the list, as one filter; undefined if nothing does. */
export function filterOf(params: Pick<ListParams, 'accountIds' | 'filters'>): StateFilter | undefined {
  const { accountIds, filters } = params
  const conditions: StateFilter[] = Object.entries(quick).flatMap(([key, read]) => read(filters[key]) ?? [])
  const built = readBuilt(filters[builtKey]?.[0])
  if (built) conditions.push(built)
  if (accountIds) conditions.unshift({ attribute: 'accountId', operator: 'equals', value: accountIds })
  return conditions.length > 1 ? { and: conditions } : conditions[0]
}

/** Input of the operation from the list's state. */
export function overviewInput(params: ListParams) {
  const filter = filterOf(params)
  const orderBy = orderOf(params.orderBy, orderKeys)
  return {
    offset: params.offset,
    limit: params.limit,
    ...(params.search ? { search: params.search.slice(0, textLengthMax) } : {}),
    ...(filter ? { filter } : {}),
    ...(orderBy ? { orderBy } : {}),
  }
}

/** The same for states below their twins: the order is that of the twins. */
export function groupedInput(params: ListParams) {
  return {
    ...overviewInput(params),
    orderBy: params.orderBy === '-twin' ? ('-twin' as const) : ('twin' as const),
  }
}

/** Changes the address so that a saved filter replaces the current one: its conditions as they would be built. */
export function addressOf(saved: StateViewFilter): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(quickKeys.map((key) => [key, undefined])),
    page: undefined,
    account: undefined,
    q: saved.search,
    [builtKey]: saved.filter ? JSON.stringify(saved.filter) : undefined,
  }
}
