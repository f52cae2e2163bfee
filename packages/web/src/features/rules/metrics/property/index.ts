import { onDemand } from '../../../../lib/onDemand.ts'
import type { MetricKind } from '../types.ts'

export const property: MetricKind = {
  needsWindow: false,
  own: {
    toInput: (fields) => ({ operation: 'property', property: fields.property.trim() }),
    fault: (fields) => (fields.property.trim() === '' ? { field: 'property', key: 'required' } : null),
    Fields: onDemand(() => import('./PropertyFields.tsx')),
  },
}
