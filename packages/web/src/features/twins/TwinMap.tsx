import type { State } from '@leitstand/contract/states'
import type { Twin } from '@leitstand/contract/twins'
import { useMemo } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import type { Tone } from '../../ui/display/Badges.tsx'
import { PositionTab } from './position/PositionTab.tsx'
import { useStates } from './states/useStates.ts'
import { worstLevel } from './states/values.ts'

const TwinPosition = onDemand(() => import('./TwinPosition.tsx'))

/** Where a twin is and was, and its polygon in the colour of its worst state. */
export function TwinMap({ twin }: { twin: Twin }) {
  const states = useStates(twin.id).data?.items as State[] | undefined
  const tone: Tone = worstLevel(states ?? []) ?? 'accent'
  const { geoPolygon } = twin
  const areas = useMemo(() => (geoPolygon ? [{ polygon: geoPolygon, tone }] : []), [geoPolygon, tone])
  return (
    <PositionTab
      category="digitalTwin"
      object={twin}
      areas={areas}
      fixed={<TwinPosition key={twin.id} twin={twin} tone={tone} />}
    />
  )
}
