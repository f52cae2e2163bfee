import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconTable } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { WidgetKindParts } from '../types.ts'

export const twinTable: WidgetKindParts<WidgetOf<'twin-table'>> = {
  icon: IconTable,
  isOffered: true,
  isHeading: false,
  size: { columns: 6, minHeightPx: 320 },
  create: (frame) => ({
    ...frame,
    type: 'twin-table',
    twinTableOptions: { twinIds: [], tags: [], stateKeys: [], limit: 20 },
  }),
  isReady: () => true,
  faults: () => ({}),
  live: () => 'merged',
  View: onDemand(() => import('./TwinTable.tsx')),
  Fields: onDemand(() => import('./TableFields.tsx')),
}
