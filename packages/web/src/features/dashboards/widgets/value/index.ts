import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { IconNumbers } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { missingStates } from '../timeChart.ts'
import type { WidgetKindParts } from '../types.ts'

export const value: WidgetKindParts<WidgetOf<'value'>> = {
  icon: IconNumbers,
  isOffered: true,
  isHeading: false,
  size: { columns: 12, minHeightPx: 140 },
  create: (frame) => ({ ...frame, type: 'value', valueOptions: { stateIds: [], sparkline: true } }),
  isReady: ({ valueOptions }) => valueOptions.stateIds.length > 0,
  faults: ({ valueOptions }) => missingStates(valueOptions.stateIds),
  live: () => 'tiles',
  states: {
    of: ({ valueOptions }) => valueOptions.stateIds,
    put: (widget, stateIds) => ({ ...widget, valueOptions: { ...widget.valueOptions, stateIds } }),
  },
  View: onDemand(() => import('./Tiles.tsx')),
  Fields: onDemand(() => import('./TileFields.tsx')),
}
