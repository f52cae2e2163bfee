import { onDemand } from '../../../../lib/onDemand.ts'
import type { MetricKind } from '../types.ts'

export const position: MetricKind = {
  needsWindow: false,
  own: {
    toInput: ({ position: part, latitude, longitude }) => ({
      operation: 'position',
      position: part,
      ...(part === 'distance' && latitude !== null && longitude !== null ? { latitude, longitude } : {}),
    }),
    fault({ position: part, latitude, longitude }) {
      if (part !== 'distance') return null
      if (latitude === null) return { field: 'latitude', key: 'required' }
      return longitude === null ? { field: 'longitude', key: 'required' } : null
    },
    Fields: onDemand(() => import('./PositionFields.tsx')),
  },
}
