import { Text } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import {
  AttributionControl,
  type GeoJSONSource,
  type MapGeoJSONFeature,
  MapLibreMap,
  type Point,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import './maplibre.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isOnPaper } from '../../lib/paper.ts'
import { useUserDefaults } from '../../lib/session.ts'
import { Beside, listedMax } from './Beside.tsx'
import { buildingsFromZoom, hasBuildings, tiltDegrees, withBuildings } from './buildings.ts'
import { tilesSource } from './builtIn.ts'
import { letDrag } from './drag.ts'
import { IconDrawings } from './IconDrawings.tsx'
import { LayoutMenu } from './LayoutMenu.tsx'
import { MapControls } from './MapControls.tsx'
import { MapNotice } from './MapNotice.tsx'
import type { MapBounds, MapPoint, MapViewProps } from './MapView.tsx'
import classes from './map.module.css'
import { useMarkerIcons, useMarkerStyle } from './markerIcons.ts'
import { Overlays } from './Overlays.tsx'
import { PlaceList } from './PlaceList.tsx'
import { boundsFrom, boundsOf, toAreas, toFeatures, toLines, viewOf } from './points.ts'
import { type BaseMap, mapStyle, ours } from './style.ts'
import { useBaseMap } from './useBaseMap.ts'
import { useChosenLayout } from './useMapLayouts.ts'
import { useMoves } from './useMoves.ts'
import { paddingOf, zoomsOf } from './view.ts'
import { watchSources } from './watchSources.ts'

setWorkerUrl(workerUrl)

const everywhere: MapBounds = { west: -180, south: -90, east: 180, north: 90 }
/** Zoom at which only points in the same place are still clustered. */
const singleZoom = 19

const zoomMax = 22

let webGl: boolean | undefined

/** Cached: without a graphics card the check takes a third of a second and blocks the page. */
function hasWebGl(): boolean {
  webGl ??= document.createElement('canvas').getContext('webgl2') !== null
  return webGl
}

/** The rendered map, see `MapView`. */
export default function MapLibreView(props: MapViewProps) {
  const { points, title, height = '480px', selectedId = null, plain = false, panel } = props
  const { t } = useTranslation()
  const host = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<MapLibreMap | null>(null)
  const [stack, setStack] = useState<readonly string[]>([])
  const [inView, setInView] = useState<readonly MapPoint[]>(points.slice(0, listedMax))
  const reduced = useReducedMotion()
  const layout = useChosenLayout(props.layoutNumber)
  const { base: ground, failure, giveUp, retry } = useBaseMap(layout)
  const wantsBuildings = useUserDefaults().map3DBuild === true
  const buildings = ground && hasBuildings(ground.style) ? wantsBuildings : undefined
  const base = useMemo(() => ground && withBuildings(ground, wantsBuildings), [ground, wantsBuildings])
  const [patchy, setPatchy] = useState(false)
  const queue = useMoves(map, props.moves, points)
  const features = useMemo(
    () => toFeatures(queue.applied(points, performance.now()), selectedId),
    [queue, points, selectedId],
  )
  const line = useMemo(() => toLines(props.tracks), [props.tracks])
  const areas = useMemo(() => toAreas(props.areas), [props.areas])
  // Clusters from the caller are not merged, so that map and list match.
  const clustered = props.onOpen === undefined
  const outlined = props.markers === 'outlined'
  const data = useMemo(
    () => ({ points: features, track: line, areas, clustered, outlined }),
    [features, line, areas, clustered, outlined],
  )
  // Checked after the rest of the page is rendered; until then it is assumed.
  const [gl, setGl] = useState(webGl)
  useEffect(() => setGl(hasWebGl()), [])
  const latest = useRef({ props, features, points, data, base, giveUp, t })
  useEffect(() => {
    latest.current = { props, features, points, data, base, giveUp, t }
  })

  // Declared before the effect that creates the map, so that its cleanup runs first.
  useEffect(() => {
    if (!map || !buildings) return undefined
    let near = false
    const { pitch: flat = 0, bearing = 0 } = latest.current.props.camera ?? {}
    const tilt = (wanted: boolean, animate: boolean) => {
      if (near !== wanted)
        map.easeTo({ pitch: wanted ? Math.max(tiltDegrees, flat) : flat, bearing, animate })
      near = wanted
    }
    const isNear = () => map.getZoom() >= buildingsFromZoom
    const follow = () => tilt(isNear(), !reduced)
    // Without animation: the initial camera movement would cancel it.
    tilt(isNear(), false)
    map.on('zoomend', follow)
    return () => {
      map.off('zoomend', follow)
      tilt(false, false)
    }
  }, [map, buildings, reduced])

  const attribution = failure ? undefined : layout?.style?.attribution
  useEffect(() => {
    if (!map || attribution === undefined) return undefined
    const control = new AttributionControl({ customAttribution: attribution })
    map.addControl(control, 'bottom-right')
    return () => {
      map.removeControl(control)
    }
  }, [map, attribution])

  const shownBase = useRef(base)
  // What is drawn on the map depends on its style, and is added again after each.
  const [styled, setStyled] = useState<BaseMap>()
  const icons = useMarkerIcons(map, base?.mode, { styled, points })
  useMarkerStyle(map, styled, outlined)
  // Once created, the map stays with its view while another style loads.
  const [ready, setReady] = useState(base !== undefined)
  if (base && !ready) setReady(true)
  useEffect(() => {
    const { base: first } = latest.current
    if (!ready || !host.current || !first || !gl) return undefined
    shownBase.current = first
    const { focus } = latest.current.props
    const start = focus ? boundsFrom(focus) : boundsOf(latest.current.points)
    const { pitch = 0, bearing = 0 } = latest.current.props.camera ?? {}
    const made = new MapLibreMap({
      container: host.current,
      style: mapStyle(first, latest.current.data),
      attributionControl: false,
      maxZoom: zoomMax,
      maxPitch: 85,
      pitch,
      bearing,
      locale: {
        // The name from the beginning: two maps on a page must differ for a screen reader.
        'Map.Title': latest.current.props.title,
        'AttributionControl.ToggleAttribution': latest.current.t('map.attributionToggle'),
      },
      fadeDuration: 0,
      // What is drawn is otherwise gone when the page is printed.
      canvasContextAttributes: { preserveDrawingBuffer: isOnPaper() },
      ...(start
        ? { bounds: start, fitBoundsOptions: { padding: 60, maxZoom: 15, pitch, bearing } }
        : { center: [10.4, 51.2] as [number, number], zoom: 4.6 }),
    })
    made.addControl(new ScaleControl({ maxWidth: 100 }), 'bottom-left')
    const pick = (id: string | null) => latest.current.props.onSelect?.(id)
    made.on('click', (event) => {
      if (latest.current.props.editing) return
      const hit = hitAt(made, event.point)
      if (!hit) {
        setStack([])
        latest.current.props.onFanClose?.()
        pick(areaAt(made, event.point))
        latest.current.props.onPick?.({ latitude: event.lngLat.lat, longitude: event.lngLat.lng })
        return
      }
      if (hit.layer.id === ours.dots) {
        setStack([String(hit.properties.id)])
        pick(String(hit.properties.id))
        return
      }
      // Points that represent several are resolved by the caller; only clusters formed here open here.
      if (hit.properties.cluster === true) void openCluster(made, hit).then(setStack)
      else latest.current.props.onOpen?.(String(hit.properties.id))
    })
    made.on('mousemove', (event) => {
      if (latest.current.props.editing) return
      const over = hitAt(made, event.point) !== undefined || areaAt(made, event.point) !== null
      made.getCanvas().style.cursor = over || latest.current.props.onPick ? 'pointer' : ''
    })
    letDrag(made, () => latest.current)
    const look = () => {
      const bounds = made.getBounds()
      setInView(latest.current.points.filter((point) => bounds.contains([point.longitude, point.latitude])))
      latest.current.props.onView?.({ bounds: viewOf(bounds), zoom: made.getZoom() })
    }
    made.on('moveend', look)
    made.on('load', look)
    // The view is known before the map is drawn, so dependents need not wait.
    look()
    // Apply what changed while a style was loading.
    made.on('style.load', () => {
      for (const part of ['points', 'track', 'areas'] as const)
        made.getSource<GeoJSONSource>(ours[part])?.setData(latest.current.data[part])
      setStyled(shownBase.current)
    })
    watchSources(made, {
      onLost: (error) => latest.current.giveUp(error),
      onPatchy: setPatchy,
    })
    setMap(made)
    return () => {
      setMap(null)
      made.remove()
    }
  }, [ready, gl])

  useEffect(() => {
    map?.getCanvas().setAttribute('aria-label', title)
  }, [map, title])

  useEffect(() => {
    if (!map || !base || shownBase.current === base) return
    // Only toggling 3D buildings keeps loaded data; an invalid style must fail as a whole.
    const diff = shownBase.current?.style.sources === base.style.sources
    shownBase.current = base
    map.setStyle(mapStyle(base, latest.current.data), { diff })
    // With a diff no style is loaded.
    if (diff) setStyled(base)
  }, [map, base])

  const maxZoom = (failure ? undefined : layout?.style?.maxZoom) ?? zoomMax
  useEffect(() => {
    map?.setMaxZoom(maxZoom)
  }, [map, maxZoom])

  const shownBefore = useRef(points.length > 0)
  useEffect(() => {
    if (!map) return
    map.getSource<GeoJSONSource>(ours.points)?.setData(features)
    if (!latest.current.props.focus && !shownBefore.current && points.length > 0) {
      shownBefore.current = true
      const bounds = boundsOf(points)
      if (bounds) map.fitBounds(bounds, { padding: 60, maxZoom: 15, animate: false })
    }
    const bounds = map.getBounds()
    setInView(points.filter((point) => bounds.contains([point.longitude, point.latitude])))
  }, [map, features, points])

  useKeptInView(map, props)

  useEffect(() => {
    map?.getSource<GeoJSONSource>(ours.track)?.setData(line)
  }, [map, line])

  useEffect(() => {
    map?.getSource<GeoJSONSource>(ours.areas)?.setData(areas)
  }, [map, areas])

  const { focus } = props
  const zoomed = useRef(false)
  useEffect(() => {
    if (!map || !focus) return
    const [pitch, bearing] = [map.getPitch(), map.getBearing()]
    const padding = paddingOf(map.getContainer(), pitch)
    // Later views lead to what was opened.
    const { maxZoom, zoom } = zoomsOf(latest.current.props.camera, !zoomed.current)
    map.fitBounds(boundsFrom(focus), { padding, maxZoom, animate: false, pitch, bearing })
    if (zoom !== undefined) map.jumpTo({ zoom })
    zoomed.current = true
  }, [map, focus])

  const fit = () => {
    const bounds = focus ? boundsFrom(focus) : boundsOf(points)
    const maxZoom = props.camera ? zoomsOf(props.camera, true).maxZoom : 15
    if (bounds) map?.fitBounds(bounds, { padding: 60, maxZoom, animate: !reduced })
  }
  // Without a map there is no view to wait for: list all points, unclustered.
  const { onView } = props
  useEffect(() => {
    if (gl === false) onView?.({ bounds: everywhere, zoom: singleZoom })
  }, [gl, onView])
  const listed = map ? inView : points
  const chosen = points.filter((point) => stack.includes(point.id))
  const [place] = chosen
  const fan = props.fan ?? (place && chosen.length > 1 ? { ...place, points: chosen } : undefined)
  const closeFan = () => {
    setStack([])
    props.onFanClose?.()
  }
  return (
    <div
      className={classes.frame}
      data-plain={(plain && !panel) || undefined}
      data-panel={panel ? true : undefined}
    >
      <section className={classes.map} style={{ height }} aria-label={t('map.label', { title })}>
        {gl === false ? <Text p="md">{t('map.noGl')}</Text> : <div ref={host} className={classes.host} />}
        <Overlays
          map={map}
          base={styled === base ? styled : undefined}
          plan={props.plan}
          editing={props.editing}
          fan={fan}
          selectedId={selectedId}
          onSelect={props.onSelect}
          onFanClose={closeFan}
        />
        {gl ? (
          <MapControls map={map} onFit={fit} corner={props.corner} withoutBar={props.withoutBar}>
            {props.layoutNumber === undefined || props.onLayout ? (
              <LayoutMenu layout={layout} buildings={buildings} onLayout={props.onLayout} />
            ) : null}
          </MapControls>
        ) : null}
        <IconDrawings host={icons} points={points} />
        {chosen.length > 0 && !panel ? (
          <div className={classes.popup}>
            <PlaceList points={chosen.slice(0, listedMax)} onSelect={props.onSelect} onOpen={props.onOpen} />
          </div>
        ) : null}
        {layout?.style ? (
          <MapNotice title={layout.title} failure={failure} patchy={patchy} onRetry={retry} />
        ) : null}
        {attribution === undefined ? <BuiltInCredit base={base} /> : null}
      </section>
      <Beside
        panel={panel}
        plain={plain}
        height={height}
        listed={listed}
        onSelect={props.onSelect}
        onOpen={props.onOpen}
      />
    </div>
  )
}

/** A position that is typed or looked up may be outside the view: the map follows it. */
function useKeptInView(map: MapLibreMap | null, { onPick, points }: Pick<MapViewProps, 'onPick' | 'points'>) {
  const [only] = onPick && points.length === 1 ? points : []
  const { latitude, longitude } = only ?? {}
  useEffect(() => {
    if (!map || latitude === undefined || longitude === undefined) return
    const place: [number, number] = [longitude, latitude]
    if (!map.getBounds().contains(place)) map.jumpTo({ center: place })
  }, [map, latitude, longitude])
}

/** Whose data a built-in map shows. */
function BuiltInCredit({ base }: { base: BaseMap | undefined }) {
  const { t } = useTranslation()
  const hasTiles = base !== undefined && tilesSource in base.style.sources
  return <div className={classes.attribution}>{t(hasTiles ? 'map.attributionTiles' : 'map.attribution')}</div>
}

/** The point or cluster at a screen position; none while a style is loading. */
function hitAt(map: MapLibreMap, at: Point): MapGeoJSONFeature | undefined {
  const layers = [ours.dots, ours.clusters].filter((id) => map.getLayer(id))
  return layers.length === 0 ? undefined : map.queryRenderedFeatures(at, { layers })[0]
}

/** Id of the smallest clickable area at a screen position; null if there is none. */
function areaAt(map: MapLibreMap, at: Point): string | null {
  if (!map.getLayer(ours.areas)) return null
  // The largest are drawn first.
  const hit = map
    .queryRenderedFeatures(at, { layers: [ours.areas] })
    .find(({ properties }) => 'id' in properties)
  return hit ? String(hit.properties.id) : null
}

/** A click on a cluster zooms in; points in the same place cannot be separated and are listed instead. */
async function openCluster(map: MapLibreMap, hit: MapGeoJSONFeature): Promise<readonly string[]> {
  const source = map.getSource<GeoJSONSource>(ours.points)
  const id = Number(hit.properties.cluster_id)
  if (!source || hit.geometry.type !== 'Point') return []
  const zoom = await source.getClusterExpansionZoom(id)
  if (zoom <= map.getMaxZoom() - 1.5) {
    map.easeTo({ center: hit.geometry.coordinates as [number, number], zoom: zoom + 0.3 })
    return []
  }
  const leaves = await source.getClusterLeaves(id, listedMax, 0)
  return leaves.map((leaf) => String(leaf.properties?.id))
}
