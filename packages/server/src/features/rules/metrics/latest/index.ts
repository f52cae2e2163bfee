import { readsState } from '../parts.ts'
import type { MetricKind } from '../types.ts'

export const latest: MetricKind = {
  look: { value: 'newest' },
  isCurrent: true,
  isOfState: true,
  check: () => [],
  uses: readsState,
}
