import type { Twin } from '@leitstand/contract/twins'
import { Stack } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import { OnFloor } from './area/OnFloor.tsx'
import { PositionTab } from './position/PositionTab.tsx'
import { useTwinTone } from './states/useTwinTone.ts'

const TracksBelow = onDemand(() => import('./position/TracksBelow.tsx'))
const TwinPosition = onDemand(() => import('./TwinPosition.tsx'))

/** Where a twin is and was, and its polygon in the colour of its worst state. */
export function TwinMap({ twin }: { twin: Twin }) {
  const tone = useTwinTone(twin.id)
  const { geoPolygon } = twin
  const areas = useMemo(() => (geoPolygon ? [{ polygon: geoPolygon, tone }] : []), [geoPolygon, tone])
  return (
    <Stack gap="md">
      <PositionTab
        category="digitalTwin"
        object={twin}
        areas={areas}
        fixed={
          <OnFloor twin={twin}>
            {(plan) => <TwinPosition key={twin.id} twin={twin} tone={tone} plan={plan} />}
          </OnFloor>
        }
      />
      {twin.childCount > 0 ? (
        <Suspense fallback={null}>
          <TracksBelow twinId={twin.id} />
        </Suspense>
      ) : null}
    </Stack>
  )
}
