import type { Twin } from '@leitstand/contract/twins'
import type { ReactNode } from 'react'
import type { MapPlan } from '../../../ui/map/MapView.tsx'
import { twinMapFloors } from '../slots.ts'

interface OnFloorProps {
  twin: Pick<Twin, 'id' | 'type' | 'ancestors'>
  children: (plan: MapPlan | undefined) => ReactNode
}

/** The plan of the floor that a twin is, or is on: rooms are drawn on it. */
export function OnFloor({ twin, children }: OnFloorProps) {
  const floorId = floorOf(twin)
  const [Floors] = twinMapFloors.parts
  if (floorId === null || !Floors) return children(undefined)
  return (
    <Floors twinId={floorId} chosen={floorId} onChoose={() => undefined}>
      {({ plan }) => children(plan)}
    </Floors>
  )
}

/** The twin itself if it is a floor, else the nearest floor above it. */
export function floorOf({ id, type, ancestors }: OnFloorProps['twin']): number | null {
  if (type === 'floor') return id
  return ancestors.findLast((ancestor) => ancestor.type === 'floor')?.id ?? null
}
