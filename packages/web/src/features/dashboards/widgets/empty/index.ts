import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconHeading } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { WidgetKindParts } from '../types.ts'

export const empty: WidgetKindParts<WidgetOf<'empty'>> = {
  icon: IconHeading,
  isOffered: true,
  isHeading: true,
  size: { columns: 12, minHeightPx: 80 },
  create: (frame) => ({ ...frame, type: 'empty', borderless: true }),
  isReady: () => true,
  faults: () => ({}),
  live: () => 'merged',
  View: () => null,
  Fields: onDemand(() => import('./EmptyHint.tsx')),
}
