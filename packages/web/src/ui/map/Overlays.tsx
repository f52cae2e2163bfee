import { addProtocol, type MapLibreMap, Marker } from 'maplibre-gl'
import { Suspense } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import type { MapViewProps } from './MapView.tsx'
import { areaColors, type BaseMap, ours } from './style.ts'

const PlanLayer = onDemand(() => import('./PlanLayer.tsx'))
const AreaDrawing = onDemand(() => import('./AreaDrawing.tsx'))
const FanOut = onDemand(() => import('./FanOut.tsx'))

const library = { Marker, addProtocol }
/** Layers above plans. */
const drawn = [ours.areas, ours.track, ours.clusters]

interface OverlaysProps extends Pick<MapViewProps, 'plan' | 'editing' | 'fan' | 'selectedId'> {
  map: MapLibreMap | null
  /** the base whose style is loaded; undefined while another one is */
  base: BaseMap | undefined
  onSelect: MapViewProps['onSelect'] | undefined
  onFanClose: () => void
}

/** What is shown on a map on demand: a plan, a polygon that is drawn, points in the same place. */
export function Overlays({ map, base, plan, editing, fan, selectedId, ...call }: OverlaysProps) {
  if (!map) return null
  return (
    <Suspense fallback={null}>
      {base && plan ? <PlanLayer key={plan.url} map={map} library={library} below={drawn} {...plan} /> : null}
      {base && editing ? <AreaDrawing map={map} colors={areaColors[base.mode]} {...editing} /> : null}
      {fan ? (
        <FanOut
          map={map}
          fan={fan}
          selectedId={selectedId ?? null}
          onSelect={(id) => call.onSelect?.(id)}
          onClose={call.onFanClose}
        />
      ) : null}
    </Suspense>
  )
}
