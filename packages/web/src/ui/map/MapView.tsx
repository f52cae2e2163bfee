import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Tone } from '../display/Badges.tsx'

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
  /** How many things it stands for; more than one looks like a cluster. Default 1. */
  count?: number
}

/** A part of the world in degrees. */
export interface MapBounds {
  west: number
  south: number
  east: number
  north: number
}

export interface MapViewProps {
  points: readonly MapPoint[]
  /** A way through these places in their order, drawn as a line below the points. */
  track?: readonly Pick<MapPoint, 'latitude' | 'longitude'>[]
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
  /** What to show; when it changes the map goes there. Without it the map shows all points. */
  focus?: MapBounds | undefined
  /** Told when the view has changed, for points that depend on it. */
  onView?: (view: { bounds: MapBounds; zoom: number }) => void
  /** Somebody wants to see what a point that stands for several consists of. */
  onOpen?: (id: string) => void
  /** Without the list of places in view, for small maps. */
  plain?: boolean
}

const load = () => import('./MapLibreView.tsx')
const Loaded = lazy(load)

/** Begins to fetch the library, for screens that ask the server something before they show their map. */
export function preloadMap(): void {
  load().catch((error: unknown) => console.error('The map could not be fetched ahead', error))
}

/**
 * Places on a map that needs no foreign server unless the user chose one the operator has named: clusters in the colour of
 * their worst member, and the list of what is in view for keyboard and screen reader. The library is fetched when first shown.
 */
export function MapView(props: MapViewProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? '480px'} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
