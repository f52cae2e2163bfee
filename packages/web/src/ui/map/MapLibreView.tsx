import { ActionIcon, Group, Text, useComputedColorScheme } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react'
import {
  type GeoJSONSource,
  LngLatBounds,
  type MapGeoJSONFeature,
  MapLibreMap,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import 'maplibre-gl/dist/maplibre-gl.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'
import type { MapBounds, MapPoint, MapViewProps } from '../MapView.tsx'
import { RouterLink } from '../RouterLink.tsx'
import { letDrag } from './drag.ts'
import classes from './map.module.css'
import { mapStyle, toneRanks } from './style.ts'
import { useWorld } from './world.ts'

setWorkerUrl(workerUrl)

/** Places listed beside the map. */
const listedMax = 100

const everywhere: MapBounds = { west: -180, south: -90, east: 180, north: 90 }
/** Near enough that only what lies in one spot is put together. */
const singleZoom = 19

/** Points as GeoJSON with what the style needs: id, rank of the tone, how many it stands for, whether selected. */
export function toFeatures(
  points: readonly MapPoint[],
  selectedId: string | null | undefined,
): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: points.map((point) => {
      const rank = Math.max(0, toneRanks.indexOf(point.tone ?? 'accent'))
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [point.longitude, point.latitude] },
        properties: {
          id: point.id,
          ...{ rank, worst: rank, sum: point.count ?? 1 },
          selected: point.id === selectedId,
        },
      }
    }),
  }
}

/** The way as GeoJSON. */
function toLine(track: MapViewProps['track'] = []): GeoJSON.Feature {
  const coordinates = track.map(({ longitude, latitude }) => [longitude, latitude])
  return { type: 'Feature', geometry: { type: 'LineString', coordinates }, properties: {} }
}

/** Bounds of all points; undefined without points. */
function boundsOf(points: readonly MapPoint[]): LngLatBounds | undefined {
  const first = points[0]
  if (!first) return undefined
  const bounds = new LngLatBounds([first.longitude, first.latitude], [first.longitude, first.latitude])
  for (const point of points) bounds.extend([point.longitude, point.latitude])
  return bounds
}

function boundsFrom({ west, south, east, north }: MapBounds): LngLatBounds {
  return new LngLatBounds([west, south], [east, north])
}

/** What the map shows, in degrees that exist: a view around the back of the world is all of it. */
export function viewOf(bounds: MapBounds): MapBounds {
  const wraps = bounds.west < -180 || bounds.east > 180 || bounds.west > bounds.east
  return {
    west: wraps ? -180 : bounds.west,
    south: Math.max(-90, bounds.south),
    east: wraps ? 180 : bounds.east,
    north: Math.min(90, bounds.north),
  }
}

function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null
}

/** The drawn map, see `MapView`. */
export default function MapLibreView(props: MapViewProps) {
  const { points, title, height = '480px', selectedId = null, plain = false } = props
  const { t } = useTranslation()
  const host = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<MapLibreMap | null>(null)
  const [stack, setStack] = useState<readonly string[]>([])
  const [inView, setInView] = useState<readonly MapPoint[]>(points.slice(0, listedMax))
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  const reduced = useReducedMotion()
  const world = useWorld()
  const features = useMemo(() => toFeatures(points, selectedId), [points, selectedId])
  const line = useMemo(() => toLine(props.track), [props.track])
  const gl = useMemo(hasWebGl, [])
  const latest = useRef({ props, features, points, line })
  useEffect(() => {
    latest.current = { props, features, points, line }
  })

  useEffect(() => {
    if (!host.current || !world || !gl) return undefined
    const { focus } = latest.current.props
    const start = focus ? boundsFrom(focus) : boundsOf(latest.current.points)
    const made = new MapLibreMap({
      container: host.current,
      style: mapStyle(dark ? 'dark' : 'light', world, latest.current.features, latest.current.line),
      attributionControl: false,
      maxZoom: 19,
      fadeDuration: 0,
      ...(start
        ? { bounds: start, fitBoundsOptions: { padding: 60, maxZoom: 15 } }
        : { center: [10.4, 51.2] as [number, number], zoom: 4.6 }),
    })
    made.addControl(new ScaleControl({ maxWidth: 100 }), 'bottom-left')
    made.getCanvas().setAttribute('aria-label', title)
    const pick = (id: string | null) => latest.current.props.onSelect?.(id)
    made.on('click', (event) => {
      const hit = made.queryRenderedFeatures(event.point, { layers: ['dots', 'clusters'] })[0]
      if (!hit) {
        setStack([])
        pick(null)
        latest.current.props.onPick?.({ latitude: event.lngLat.lat, longitude: event.lngLat.lng })
        return
      }
      if (hit.layer.id === 'dots') {
        setStack([String(hit.properties.id)])
        pick(String(hit.properties.id))
        return
      }
      // Points that stand for several are known by the one who gave them; only those put together here open here.
      if (hit.properties.cluster === true) void openCluster(made, hit).then(setStack)
      else latest.current.props.onOpen?.(String(hit.properties.id))
    })
    made.on('mousemove', (event) => {
      const over = made.queryRenderedFeatures(event.point, { layers: ['dots', 'clusters'] }).length > 0
      made.getCanvas().style.cursor = over || latest.current.props.onPick ? 'pointer' : ''
    })
    letDrag(made, () => latest.current)
    const look = () => {
      const bounds = made.getBounds()
      setInView(latest.current.points.filter((point) => bounds.contains([point.longitude, point.latitude])))
      latest.current.props.onView?.({
        bounds: viewOf({
          west: bounds.getWest(),
          south: bounds.getSouth(),
          east: bounds.getEast(),
          north: bounds.getNorth(),
        }),
        zoom: made.getZoom(),
      })
    }
    made.on('moveend', look)
    made.on('load', look)
    setMap(made)
    return () => {
      setMap(null)
      made.remove()
    }
  }, [world, dark, gl, title])

  const shownBefore = useRef(points.length > 0)
  useEffect(() => {
    if (!map) return
    const source = map.getSource<GeoJSONSource>('points')
    if (source) source.setData(features)
    if (!latest.current.props.focus && !shownBefore.current && points.length > 0) {
      shownBefore.current = true
      const bounds = boundsOf(points)
      if (bounds) map.fitBounds(bounds, { padding: 60, maxZoom: 15, animate: false })
    }
    const bounds = map.getBounds()
    setInView(points.filter((point) => bounds.contains([point.longitude, point.latitude])))
  }, [map, features, points])

  useEffect(() => {
    map?.getSource<GeoJSONSource>('track')?.setData(line)
  }, [map, line])

  const { focus } = props
  useEffect(() => {
    if (map && focus) map.fitBounds(boundsFrom(focus), { padding: 60, maxZoom: 19, animate: false })
  }, [map, focus])

  const fit = () => {
    const bounds = focus ? boundsFrom(focus) : boundsOf(points)
    if (bounds) map?.fitBounds(bounds, { padding: 60, maxZoom: 15, animate: !reduced })
  }
  // Without a map there is no view to wait for: the list shows all there is, each place for itself.
  const { onView } = props
  useEffect(() => {
    if (!gl) onView?.({ bounds: everywhere, zoom: singleZoom })
  }, [gl, onView])
  const listed = gl ? inView : points
  const chosen = points.filter((point) => stack.includes(point.id))
  return (
    <div className={classes.frame} data-plain={plain || undefined}>
      <section className={classes.map} style={{ height }} aria-label={t('map.label', { title })}>
        {gl ? <div ref={host} className={classes.host} /> : <Text p="md">{t('map.noGl')}</Text>}
        <div className={classes.controls}>
          <ActionIcon
            variant="default"
            aria-label={t('map.zoomIn')}
            onClick={() => map?.zoomIn({ animate: !reduced })}
          >
            <Icon of={IconPlus} size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label={t('map.zoomOut')}
            onClick={() => map?.zoomOut({ animate: !reduced })}
          >
            <Icon of={IconMinus} size={16} />
          </ActionIcon>
          <ActionIcon variant="default" aria-label={t('map.fit')} onClick={fit}>
            <Icon of={IconFocusCentered} size={16} />
          </ActionIcon>
        </div>
        {chosen.length > 0 ? (
          <div className={classes.popup}>
            <PlaceList points={chosen.slice(0, listedMax)} onSelect={props.onSelect} onOpen={props.onOpen} />
          </div>
        ) : null}
        <div className={classes.attribution}>{t('map.attribution')}</div>
      </section>
      {plain ? null : (
        <nav className={classes.list} aria-label={t('map.list')} style={{ maxHeight: height }}>
          <Text size="sm" fw={600} px="sm" py={8}>
            {t('map.inView', { count: listed.length })}
          </Text>
          {listed.length === 0 ? (
            <Text size="sm" c="dimmed" px="sm">
              {t('map.none')}
            </Text>
          ) : (
            <PlaceList points={listed.slice(0, listedMax)} onSelect={props.onSelect} onOpen={props.onOpen} />
          )}
          {listed.length > listedMax ? (
            <Text size="xs" c="dimmed" p="sm">
              {t('map.more', { count: listed.length - listedMax })}
            </Text>
          ) : null}
        </nav>
      )}
    </div>
  )
}

/** A click on a cluster zooms in; what lies on one spot and cannot be pulled apart is listed instead. */
async function openCluster(map: MapLibreMap, hit: MapGeoJSONFeature): Promise<readonly string[]> {
  const source = map.getSource<GeoJSONSource>('points')
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

function PlaceList({
  points,
  onSelect,
  onOpen,
}: {
  points: readonly MapPoint[]
  onSelect?: ((id: string | null) => void) | undefined
  onOpen?: ((id: string) => void) | undefined
}) {
  const choose = (point: MapPoint) => {
    if ((point.count ?? 1) > 1) onOpen?.(point.id)
    else onSelect?.(point.id)
  }
  return (
    <ul className={classes.places}>
      {points.map((point) => (
        <li key={point.id}>
          <Group gap={8} wrap="nowrap" align="flex-start">
            <span className={classes.dot} data-tone={point.tone ?? 'accent'} aria-hidden />
            <div style={{ minWidth: 0 }}>
              {point.href ? (
                <RouterLink to={point.href} size="sm" fw={550} c="inherit">
                  {point.title}
                </RouterLink>
              ) : (
                <button type="button" className={classes.place} onClick={() => choose(point)}>
                  {point.title}
                </button>
              )}
              {point.detail ? (
                <Text size="xs" c="dimmed" truncate>
                  {point.detail}
                </Text>
              ) : null}
            </div>
          </Group>
        </li>
      ))}
    </ul>
  )
}
