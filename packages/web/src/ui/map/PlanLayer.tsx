import type { Corner, Corners } from '@leitstand/contract/floors'
import type { addProtocol, ImageSource, MapLibreMap, Marker } from 'maplibre-gl'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { MapPlan } from './MapView.tsx'
import classes from './plan.module.css'
import { centerOf, draggedTo, movedTo, turned } from './planCorners.ts'

const layer = 'leitstand-plan'
const protocol = 'leitstand-plan'
/** Every graphics card takes this many pixels a side. */
const textureSideMax = 4096

/** Fetching a picture of the page is not allowed by its security policy, showing it is. */
const loadPicture: Parameters<typeof addProtocol>[1] = async ({ url }) => {
  const image = new Image()
  image.src = url.slice(`${protocol}://`.length)
  await image.decode()
  const { naturalWidth, naturalHeight } = image
  const scale = textureSideMax / Math.max(naturalWidth, naturalHeight)
  if (scale >= 1) return { data: image }
  return {
    data: await createImageBitmap(image, {
      resizeWidth: Math.round(naturalWidth * scale),
      resizeHeight: Math.round(naturalHeight * scale),
      resizeQuality: 'high',
    }),
  }
}

interface PlanLayerProps extends MapPlan {
  map: MapLibreMap
  /** Of the library that the map has loaded: importing it here would cut the map's code in two. */
  library: { Marker: typeof Marker; addProtocol: typeof addProtocol }
  /** layers that the picture is below, if they are there */
  below: readonly string[]
}

/** A picture on the map, below everything else of ours; mounted while the map's style is loaded. */
export default function PlanLayer(props: PlanLayerProps) {
  const { map, library, below, url, corners, opacity, onChange } = props
  const latest = useRef({ corners, opacity })
  useEffect(() => {
    latest.current = { corners, opacity }
  })
  // Cleaned up before the map's own effects replace its style or remove it.
  useLayoutEffect(() => {
    const { corners: coordinates, opacity: shown } = latest.current
    map.addSource(layer, { type: 'image', url: `${protocol}://${url}`, coordinates })
    library.addProtocol(protocol, loadPicture)
    map.addLayer(
      {
        id: layer,
        type: 'raster',
        source: layer,
        paint: { 'raster-opacity': shown, 'raster-fade-duration': 0 },
      },
      below.find((id) => map.getLayer(id)),
    )
    const canvas = map.getCanvas()
    // Tests look for this.
    const tell = () => {
      if (map.isSourceLoaded(layer)) canvas.dataset.plan = 'shown'
    }
    map.on('sourcedata', tell)
    return () => {
      map.off('sourcedata', tell)
      delete canvas.dataset.plan
      if (map.getLayer(layer)) map.removeLayer(layer)
      if (map.getSource(layer)) map.removeSource(layer)
    }
  }, [map, library, below, url])
  useEffect(() => {
    map.getSource<ImageSource>(layer)?.setCoordinates(corners)
  }, [map, corners])
  useEffect(() => {
    if (map.getLayer(layer)) map.setPaintProperty(layer, 'raster-opacity', opacity)
  }, [map, opacity])
  return onChange ? <Handles map={map} Marker={library.Marker} corners={corners} onChange={onChange} /> : null
}

/** Degrees and share that an arrow key turns and scales, and metres that it moves; ten times as much with Shift. */
const step = { degrees: 1, factor: 1.01, metres: 0.5 }
const metresPerDegree = 111_320

interface HandlesProps {
  map: MapLibreMap
  Marker: typeof Marker
  corners: Corners
  onChange: (corners: Corners) => void
}

/** A handle in the middle that moves the plan, and one at each corner that turns and scales it; also by arrow keys. */
function Handles({ map, Marker: MapMarker, corners, onChange }: HandlesProps) {
  const { t } = useTranslation()
  const latest = useRef({ corners, onChange })
  const markers = useRef<Marker[]>([])
  useEffect(() => {
    latest.current = { corners, onChange }
    for (const [index, marker] of markers.current.entries())
      marker.setLngLat(index === 0 ? centerOf(corners) : (corners[index - 1] as Corner))
  })
  const [moveLabel, turnLabel] = [t('floors.handles.move'), t('floors.handles.turn')]
  useLayoutEffect(() => {
    const made = [0, 1, 2, 3, 4].map((index) => {
      const element = document.createElement('button')
      element.type = 'button'
      element.className = (index === 0 ? classes.planMove : classes.planTurn) ?? ''
      element.setAttribute('aria-label', index === 0 ? moveLabel : `${turnLabel} ${index}`)
      const { corners: now } = latest.current
      const marker = new MapMarker({ element, draggable: true })
        .setLngLat(index === 0 ? centerOf(now) : (now[index - 1] as Corner))
        .addTo(map)
      marker.on('drag', () => {
        const { lng, lat } = marker.getLngLat()
        const { corners: before, onChange: change } = latest.current
        change(index === 0 ? movedTo(before, [lng, lat]) : draggedTo(before, index - 1, [lng, lat]))
      })
      element.addEventListener('keydown', (event) => {
        const next = pressed(event, latest.current.corners, index === 0)
        if (next === undefined) return
        event.preventDefault()
        event.stopPropagation()
        latest.current.onChange(next)
      })
      return marker
    })
    markers.current = made
    return () => {
      markers.current = []
      for (const marker of made) marker.remove()
    }
  }, [map, MapMarker, moveLabel, turnLabel])
  return null
}

const arrows = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
} as const

/** The plan after an arrow key; undefined for other keys. */
function pressed({ key, shiftKey }: KeyboardEvent, corners: Corners, moves: boolean): Corners | undefined {
  const arrow = arrows[key as keyof typeof arrows]
  if (arrow === undefined) return undefined
  const [across, up] = arrow
  const times = shiftKey ? 10 : 1
  if (!moves) return turned(corners, across * step.degrees * times, step.factor ** (up * times))
  const [lng, lat] = centerOf(corners)
  const degrees = (step.metres * times) / metresPerDegree
  return movedTo(corners, [lng + (across * degrees) / Math.cos((lat * Math.PI) / 180), lat + up * degrees])
}
