import type { Corners } from '@leitstand/contract/floors'
import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import { Skeleton } from '@mantine/core'
import { type ReactNode, type RefObject, Suspense } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import type { Tone } from '../display/Badges.tsx'
import type { IconType } from '../display/Icon.tsx'
import { Loading } from '../feedback/Loading.tsx'
import type { MoveSource } from './moves.ts'

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
  /** Short text below the point on the map, e.g. a value. */
  value?: string
  /** Shown in the point; a name always means the same icon. */
  icon?: { name: string; shape: IconType }
  /** Target of the point's link. */
  href?: string
  /** Number of objects it represents; more than one is shown as a cluster. Default 1. */
  count?: number
}

/** A bounding box in degrees. */
export interface MapBounds {
  west: number
  south: number
  east: number
  north: number
}

/** An area on the map, drawn below the points. */
export interface MapArea {
  /** makes it clickable: passed to `onSelect` */
  id?: string
  polygon: GeoPolygon
  tone?: Tone
}

/** What the pointer does: draws a new polygon, or moves the one that is there and its corners. */
export type DrawTool = 'rectangle' | 'polygon' | 'edit'

/** A polygon that is drawn or edited on the map. */
export interface AreaEditing {
  tool: DrawTool
  polygon: GeoPolygon | null
  /** Called when a polygon was drawn or changed. */
  onDraw: (polygon: GeoPolygon) => void
  /** index of the corner that was clicked last */
  corner: number | null
  onCorner: (corner: number | null) => void
  onDeleteCorner: () => void
  /** Called by the keyboard, when there is no corner to take back. */
  onUndo: () => void
  /** Takes back the last corner of a polygon that is being drawn; false if there is none. */
  undoRef: RefObject<(() => boolean) | null>
}

/** A picture that lies on the ground. */
export interface MapPlan {
  url: string
  corners: Corners
  /** from 0 to 1 */
  opacity: number
  /** Shows handles that move, turn and scale it. */
  onChange?: ((corners: Corners) => void) | undefined
}

/** Points in the same place, which the map shows around it. */
export interface MapFan {
  latitude: number
  longitude: number
  points: readonly MapPoint[]
}

/** How a map looks at the ground. */
export interface Camera {
  /** tilt in degrees: 0 looks straight down; at most 85 */
  pitch?: number | undefined
  /** degrees from north, clockwise */
  bearing?: number | undefined
  /** instead of the zoom at which everything fits, from 0 to 22 */
  zoom?: number | undefined
  /** fitting zooms no further, from 0 to 22; what is opened on the map may be nearer. Default 20. */
  maxZoom?: number | undefined
}

export interface MapViewProps {
  /** at the start; users can turn the map afterwards */
  camera?: Camera | undefined
  /** filled dots, or rings */
  markers?: 'default' | 'outlined' | undefined
  /** number of a layout, from 1, instead of the user's default; then it cannot be chosen without `onLayout` */
  layoutNumber?: number | undefined
  /** Called when a layout is chosen instead of the given one. */
  onLayout?: ((number: number) => void) | undefined
  /** a button at the lower left */
  corner?: ReactNode
  /** hides zoom, fit and layout */
  withoutBar?: boolean | undefined
  points: readonly MapPoint[]
  /** New positions of points until others are given; never another source. */
  moves?: MoveSource | undefined
  areas?: readonly MapArea[]
  plan?: MapPlan | undefined
  fan?: MapFan | undefined
  /** Called when the fan is closed by the keyboard, or by a click beside it. */
  onFanClose?: (() => void) | undefined
  /** Clicks draw instead of picking a position. */
  editing?: AreaEditing | undefined
  /** Each is a line through its places in order, drawn below the points. */
  tracks?: readonly (readonly Pick<MapPoint, 'latitude' | 'longitude'>[])[]
  /** Name for screen readers. */
  title: string
  /** CSS height; default 480px. */
  height?: string
  selectedId?: string | null
  onSelect?: (id: string | null) => void
  /** A click on an empty part of the map, e.g. to set a position. */
  onPick?: (position: { latitude: number; longitude: number }) => void
  /** Makes points draggable; called with the position where one was dropped. */
  onMove?: (id: string, position: { latitude: number; longitude: number }) => void
  /** The area to show; the map moves there when it changes. Default: all points. */
  focus?: MapBounds | undefined
  /** Called when the view has changed, for points that depend on it. */
  onView?: (view: { bounds: MapBounds; zoom: number }) => void
  /**
   * Called when the user opens a point that represents several. The map then does no clustering of its own.
   */
  onOpen?: (id: string) => void
  /** Hides the list of places in view, for small maps. */
  plain?: boolean
  /** Shown instead of the list and of the popup, e.g. what was selected. */
  panel?: ReactNode
}

const load = () => import('./MapLibreView.tsx')
const Loaded = onDemand(load)

/** Starts loading the library, for screens that request data before showing their map. */
export function preloadMap(): void {
  load().catch((error: unknown) => console.error('The map could not be fetched ahead', error))
}

/**
 * Places on a map that needs no external server unless the user selected one configured by the operator:
 * clusters in the colour of their worst member, and a list of the places in view for keyboard and screen
 * reader. The library is loaded when first shown.
 */
export function MapView(props: MapViewProps) {
  return (
    <Suspense
      fallback={
        <Loading>
          <Skeleton height={props.height ?? '480px'} />
        </Loading>
      }
    >
      <Loaded {...props} />
    </Suspense>
  )
}
