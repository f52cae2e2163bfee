import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconMap2 } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { WidgetKindParts } from '../types.ts'

export const twinMap: WidgetKindParts<WidgetOf<'twin-map'>> = {
  icon: IconMap2,
  isOffered: true,
  isHeading: false,
  size: { columns: 6, minHeightPx: 400 },
  create: (frame) => ({
    ...frame,
    type: 'twin-map',
    twinMapOptions: { twinIds: [] },
  }),
  isReady: () => true,
  faults: () => ({}),
  live: () => 'merged',
  View: onDemand(() => import('./TwinMap.tsx')),
  Fields: onDemand(() => import('./MapFields.tsx')),
}
