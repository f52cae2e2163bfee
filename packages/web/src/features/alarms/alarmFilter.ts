import type { Alarm } from '@leitstand/contract/alarms'

/** What alarms can be filtered by. The contract is not loaded for its lists. */
export const alarmFilterValues = {
  category: ['connectivity', 'battery', 'device', 'packet-threshold', 'platform', 'unknown'],
  source: ['rule', 'health', 'packet-threshold', 'connector', 'platform'],
  operation: ['0', '1', '2', '3', '4', '5'],
} as const satisfies {
  category: readonly Alarm['category'][]
  source: readonly Alarm['source'][]
  operation: readonly string[]
}

type Filters = Readonly<Record<string, readonly string[] | undefined>>

/** The filter of the alarm log from the state of the list; unknown values of an address are left out. */
export function alarmFilter(filters: Filters) {
  const among = <T extends string>(key: keyof typeof alarmFilterValues, values: readonly T[]) => {
    const chosen = values.filter((value) => filters[key]?.includes(value))
    return chosen.length === 0 ? undefined : chosen
  }
  const status = filters.status?.[0]
  const severity = (['error', 'warning'] as const).find((each) => each === filters.severity?.[0])
  const assigned = (['me', 'anyone', 'nobody'] as const).find((each) => each === filters.assigned?.[0])
  const categories = among('category', alarmFilterValues.category)
  const sources = among('source', alarmFilterValues.source)
  const operation = among('operation', alarmFilterValues.operation)
  const acknowledged = status === 'untended' ? 'no' : filters.acknowledged?.[0]
  const isOpen = status === 'untended' || ['unresolved', 'snoozed', 'maintained'].includes(status ?? '')
  return {
    ...(isOpen ? { status: 'unresolved' as const } : {}),
    ...(status === 'resolved' ? { status: 'resolved' as const } : {}),
    ...(status === 'untended' ? { snoozed: false, maintained: false } : {}),
    ...(status === 'snoozed' ? { snoozed: true } : {}),
    ...(status === 'maintained' ? { maintained: true } : {}),
    ...(acknowledged === undefined ? {} : { acknowledged: acknowledged === 'yes' }),
    ...(severity ? { severity } : {}),
    ...(assigned ? { assigned } : {}),
    ...(categories ? { categories } : {}),
    ...(sources ? { sources } : {}),
    ...(operation ? { operationalStatus: operation.map(Number) } : {}),
  }
}
