import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconLayoutDashboard } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { WidgetKindParts } from '../types.ts'

/** Stored by the API, not yet drawn by the console. */
export const nestedDashboard: WidgetKindParts<WidgetOf<'nested-dashboard'>> = {
  icon: IconLayoutDashboard,
  isOffered: false,
  isHeading: false,
  size: { columns: 12, minHeightPx: 320 },
  create: (frame) => ({ ...frame, type: 'nested-dashboard' }),
  isReady: () => true,
  faults: () => ({}),
  live: () => 'merged',
  View: onDemand(() => import('./NotBuilt.tsx')),
  Fields: onDemand(() => import('./NotBuiltHint.tsx')),
}
