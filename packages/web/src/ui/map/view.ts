import type { Camera, MapBounds } from './MapView.tsx'

/** What a map shows. */
export interface View {
  bounds: MapBounds
  zoom: number
}

/** About the zoom at which a map of usual size shows these bounds. */
export function zoomOf({ west, south, east, north }: MapBounds): number {
  const turns = Math.max((east - west) / 360, (north - south) / 180, 1e-6)
  return Math.max(0, Math.min(15, Math.log2(1 / turns)))
}

/** The view before the map reports its own, so that its contents load while it is drawn. */
export const firstView = (bounds: MapBounds): View => ({ bounds, zoom: zoomOf(bounds) })

/** Zoom and bounds as the server takes them. */
export const partOf = ({ bounds, zoom }: View) => ({
  ...bounds,
  zoom: Math.max(0, Math.min(22, Math.round(zoom))),
})

/** Of a view of one place: of maps of twins as specified, and of others. */
const nearestZoom = { ofTwins: 20, others: 19 }

/**
 * How near a map comes when it shows bounds: at most `maxZoom`, or exactly `zoom` if there is one.
 * @param isFirst whether it begins with them; what is opened later may be nearer than the camera says
 */
export function zoomsOf(
  camera: Camera | undefined,
  isFirst: boolean,
): { maxZoom: number; zoom: number | undefined } {
  const nearest = camera ? nearestZoom.ofTwins : nearestZoom.others
  if (!camera || !isFirst) return { maxZoom: nearest, zoom: undefined }
  const { zoom, maxZoom } = camera
  return {
    maxZoom: maxZoom ?? nearest,
    zoom: zoom === undefined ? undefined : Math.min(zoom, maxZoom ?? zoom),
  }
}

/**
 * Pixels to keep free around what has to fit. A tilted map shows what is near larger than computed, but on a phone little
 * would be left.
 */
export function paddingOf(
  { clientWidth, clientHeight }: Pick<Element, 'clientWidth' | 'clientHeight'>,
  pitch: number,
): { top: number; bottom: number; left: number; right: number } {
  const wanted = 60 + 2 * pitch
  const [x, y] = [Math.min(wanted, clientWidth / 4), Math.min(wanted, clientHeight / 4)]
  return { top: y, bottom: y, left: x, right: x }
}
