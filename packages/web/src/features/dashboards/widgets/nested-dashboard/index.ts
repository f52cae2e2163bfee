import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconLayoutDashboard } from '@tabler/icons-react'
import { lazy } from 'react'
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
  View: lazy(() => import('./NotBuilt.tsx')),
  Fields: lazy(() => import('./NotBuiltHint.tsx')),
}
