import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Tone } from './Badges.tsx'

/** A place on the map. */
export interface MapPoint {
  id: string
  latitude: number
  longitude: number
  title: string
  /** Colour of the point; a cluster takes the colour of its worst member. */
  tone?: Tone
  /** Second line in the popup and the list. */
  detail?: string
  /** Where the place leads. */
  href?: string
}

export interface MapViewProps {
  points: readonly MapPoint[]
  /** Name for screen readers. */
  title: string
  /** CSS height; default 480px. */
  height?: string
  selectedId?: string | null
  onSelect?: (id: string | null) => void
  /** A click on the free map, e.g. to set a position. */
  onPick?: (position: { latitude: number; longitude: number }) => void
  /** Lets places be dragged; called with where one was let go. */
  onMove?: (id: string, position: { latitude: number; longitude: number }) => void
  /** Without the list of places in view, for small maps. */
  plain?: boolean
}

const Loaded = lazy(() => import('./map/MapLibreView.tsx'))

/**
 * Places on a map that needs no foreign server: coasts and borders of Natural Earth, clusters in the colour of their
 * worst member, and the list of what is in view for keyboard and screen reader. The library is fetched when first shown.
 */
export function MapView(props: MapViewProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? '480px'} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
