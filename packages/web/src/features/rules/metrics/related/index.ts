import { onDemand } from '../../../../lib/onDemand.ts'
import { isStateKey } from '../../actions/stateKey.ts'
import type { MetricKind, OwnFields } from '../types.ts'

/** A state by its key, of the twin the rule runs on, of its parent or of its children. */
export const related: MetricKind = {
  needsWindow: false,
  ofTwins: true,
  own: {
    toInput: ({ of, stateKey, over, across, window, amount }) => ({
      operation: 'related',
      of,
      stateKey: stateKey.trim(),
      over,
      ...(of === 'children' ? { across } : {}),
      ...(window === 'values' ? { lastValues: amount } : window === 'minutes' ? { lastMinutes: amount } : {}),
    }),
    fault,
    Fields: onDemand(() => import('./RelatedFields.tsx')),
  },
}

function fault({ stateKey, over, window }: OwnFields) {
  const key = stateKey.trim()
  if (key === '') return { field: 'stateKey', key: 'required' } as const
  if (!isStateKey(key)) return { field: 'stateKey', key: 'stateKey' } as const
  if (over !== 'latest' && window === 'none') return { field: 'window', key: 'windowNeeded' } as const
  return null
}
