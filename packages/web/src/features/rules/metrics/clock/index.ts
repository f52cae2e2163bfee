import { onDemand } from '../../../../lib/onDemand.ts'
import type { MetricKind } from '../types.ts'

export const clock: MetricKind = {
  needsWindow: false,
  own: {
    toInput: (fields) => ({ operation: 'clock', clock: fields.clock }),
    Fields: onDemand(() => import('./ClockFields.tsx')),
  },
}
