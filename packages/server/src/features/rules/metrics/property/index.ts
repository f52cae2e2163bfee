import type { Metric } from '@leitstand/contract/rules'
import { checkNoWindow } from '../parts.ts'
import type { OwnMetricKind } from '../types.ts'

export const property: OwnMetricKind<Extract<Metric, { operation: 'property' }>> = {
  check: checkNoWindow,
  value: ({ property: key }, { keyValues }) =>
    Object.hasOwn(keyValues, key) ? (keyValues[key] ?? null) : null,
}
