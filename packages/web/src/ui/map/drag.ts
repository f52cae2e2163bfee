import type { GeoJSONSource, LngLat, MapLayerMouseEvent, MapLayerTouchEvent, MapLibreMap } from 'maplibre-gl'
import type { MapViewProps } from './MapView.tsx'
import { ours } from './style.ts'

interface Current {
  features: GeoJSON.FeatureCollection
  props: MapViewProps
}

/**
 * Makes points draggable, by mouse or with one finger. The point follows the pointer; `onMove` gets the
 * position where it was dropped. Without `onMove` nothing can be dragged.
 */
export function letDrag(map: MapLibreMap, current: () => Current): void {
  const start = (event: MapLayerMouseEvent | MapLayerTouchEvent) => {
    const id: unknown = event.features?.[0]?.properties.id
    const { onMove } = current().props
    if (!onMove || typeof id !== 'string' || ('points' in event && event.points.length > 1)) return
    // Otherwise the map would pan, too.
    event.preventDefault()
    let place: LngLat | undefined
    const move = ({ lngLat }: { lngLat: LngLat }) => {
      place = lngLat
      map.getSource<GeoJSONSource>(ours.points)?.setData(movedTo(current().features, id, lngLat))
    }
    const end = () => {
      map.off('mousemove', move)
      map.off('touchmove', move)
      map.off('mouseup', end)
      map.off('touchend', end)
      if (place) onMove(id, { latitude: place.lat, longitude: place.lng })
    }
    map.on('mousemove', move)
    map.on('touchmove', move)
    map.on('mouseup', end)
    map.on('touchend', end)
  }
  map.on('mousedown', ours.dots, start)
  map.on('touchstart', ours.dots, start)
}

/** The points with one of them moved. */
export function movedTo(
  features: GeoJSON.FeatureCollection,
  id: string,
  place: { lng: number; lat: number },
): GeoJSON.FeatureCollection {
  return {
    ...features,
    features: features.features.map((feature) =>
      feature.properties?.id === id
        ? { ...feature, geometry: { type: 'Point', coordinates: [place.lng, place.lat] } }
        : feature,
    ),
  }
}
