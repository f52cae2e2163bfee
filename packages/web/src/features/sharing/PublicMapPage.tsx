import type { Floor } from '@leitstand/contract/floors'
import type { MapSettings } from '@leitstand/contract/mapSettings'
import type { TwinPlace } from '@leitstand/contract/twins'
import { Button, CloseButton, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { isMissing, NotFound } from '../../ui/feedback/NotFound.tsx'
import { ClusterMap } from '../../ui/map/ClusterMap.tsx'
import { type MapBounds, type MapPlan, preloadMap } from '../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../ui/map/view.ts'
import { FloorPicker, useShownFloor } from '../floors/index.ts'
import { areasOf, askedMarkers, middlesOf, placePoint, pointsOf, useTwinMoves } from '../twins/index.ts'
import { type MapOptions, mapOptionsOf, optionsOf } from './address.ts'
import { type OpenLink, PublicFrame } from './PublicFrame.tsx'
import { SharedStates } from './SharedStates.tsx'
import classes from './sharing.module.css'

const listedMax = 100
const refreshMs = 10_000

/** A shared twin and everything below it on a map: `/public/{key}/map/{twinId}`. */
export default function PublicMapPage() {
  useEffect(preloadMap, [])
  return <PublicFrame>{(link) => <SharedMap link={link} />}</PublicFrame>
}

function SharedMap({ link }: { link: OpenLink }) {
  const { t } = useTranslation()
  const { twinId } = useParams({ strict: false }) as { twinId: string }
  const [search, update] = useUrlSearch()
  const id = Number(twinId) || link.objectId
  const extent = useQuery(api.shared.geoMetaInfos.queryOptions({ input: { key: link.key, twinId: id } }))
  const valid = useQuery(
    api.shared.mapSettings.queryOptions({
      input: { key: link.key, twinId: id },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  const settings = valid.data?.settings
  const options = mapOptionsOf(search, settings && optionsOf(settings))
  const floors = useQuery(
    api.shared.floors.queryOptions({ input: { key: link.key, twinId: id }, enabled: options.indoor }),
  )
  const floor = floorOf(options.indoor ? floors.data?.items : undefined, one(search, 'floor'), id)
  const shown = useShownFloor(floor, ({ twinId: floorId }) => loadPlan(link.key, floorId))
  // While another floor loads, the map stays.
  const isReady = extent.data !== undefined && !valid.isLoading && !floors.isLoading && shown.isReady
  const [started, setStarted] = useState(false)
  if (isReady && !started) setStarted(true)
  if (isMissing(extent.error))
    return <NotFound error={extent.error} listPath={`/public/${link.key}/map/${link.objectId}`} />
  if (extent.isError && !extent.data)
    return <ErrorState order={1} error={extent.error} onRetry={() => void extent.refetch()} />
  if (!extent.data || !(isReady || started)) return <Loading lines={10} />
  const bounds = shown.bounds ?? extent.data.bounds
  if (bounds === null)
    return <EmptyState icon={IconMapPinOff} title={t('sharing.nowhere')} text={t('sharing.nowhereText')} />
  return (
    <div className={classes.floors}>
      <div className={classes.picker}>
        <FloorPicker
          floors={options.indoor ? (floors.data?.items ?? []) : []}
          chosen={floor?.twinId ?? null}
          onChoose={(chosen) => update({ floor: chosen === null ? undefined : String(chosen) })}
        />
      </div>
      <Clusters
        key={id}
        link={link}
        id={floor?.twinId ?? id}
        bounds={bounds}
        options={options}
        settings={settings}
        plan={shown.plan}
      />
    </div>
  )
}

/** The floor that was chosen in the address, else the twin itself if it is one. */
function floorOf(floors: readonly Floor[] | undefined, chosen: string | undefined, id: number) {
  return (
    floors?.find(({ twinId }) => String(twinId) === chosen) ?? floors?.find(({ twinId }) => twinId === id)
  )
}

/** The picture of a shared floor plan. */
async function loadPlan(key: string, twinId: number): Promise<Blob> {
  const answer = await client.shared.floorPlan({ key, twinId })
  if (!('body' in answer) || !(answer.body instanceof Blob)) throw new Error('the server sent no file')
  return answer.body
}

interface ClustersProps {
  link: OpenLink
  id: number
  bounds: MapBounds
  options: MapOptions
  /** undefined if they could not be read */
  settings: MapSettings | undefined
  plan: MapPlan | undefined
}

function Clusters({ link, id, bounds, options, settings, plan }: ClustersProps) {
  const { t } = useTranslation()
  const asked = { key: link.key, twinId: id }
  const markers = settings && askedMarkers(settings)
  const tags = settings?.tags ?? []
  const [view, setView] = useState(() => firstView(bounds))
  const [chosen, setChosen] = useState<string | null>(null)
  const [shownId, setShownId] = useState(id)
  if (shownId !== id) {
    setShownId(id)
    setChosen(null)
  }
  const query = useQuery({
    ...api.shared.geoClusters.queryOptions({
      input: {
        ...asked,
        ...partOf(view),
        distance: options.distance,
        ...(tags.length > 0 ? { tags } : {}),
        ...(markers ? { markers } : {}),
      },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  })
  const moves = useTwinMoves(id, () => void query.refetch())
  const { data } = query
  const points = useMemo(
    () => (data ? [...pointsOf(data.items, t), ...middlesOf(data.areas, t)] : []),
    [data, t],
  )
  const areas = useMemo(() => (data ? areasOf(data.areas) : []), [data])
  const isTwin = chosen !== null && /^[1-9]\d{0,8}$/.test(chosen)
  const camera = useMemo(
    () => ({
      pitch: options.pitch,
      bearing: options.bearing,
      zoom: options.zoom,
      // A zoom in the address is meant.
      maxZoom: options.zoom === undefined ? (settings?.maxZoom ?? undefined) : undefined,
    }),
    [options.pitch, options.bearing, options.zoom, settings?.maxZoom],
  )
  const title = points.find((point) => point.id === chosen)?.title ?? link.title
  return (
    <>
      {query.isLoadingError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      <VisuallyHidden component="h1">{link.title}</VisuallyHidden>
      <ClusterMap<TwinPlace>
        title={link.title}
        height="100dvh"
        bounds={bounds}
        camera={camera}
        plan={plan}
        markers={options.markerstyle}
        layoutNumber={options.style}
        withoutBar={options.hidebar}
        plain={options.hidebar}
        points={points}
        moves={moves}
        areas={areas}
        selectedId={chosen}
        onSelect={setChosen}
        panel={
          isTwin ? (
            <Panel
              key={chosen}
              link={link}
              id={Number(chosen)}
              title={title}
              onClose={() => setChosen(null)}
            />
          ) : undefined
        }
        cut={undefined}
        onView={setView}
        breakOpen={(cluster) =>
          client.shared.geoClusterBreakOpen({
            ...asked,
            ...(tags.length > 0 ? { tags } : {}),
            id: cluster,
            limit: listedMax,
          })
        }
        sameTitle={t('twins.map.same')}
        toPoint={(place) => placePoint(place, t)}
        renderPlace={(place) => (
          <UnstyledButton fw={550} onClick={() => setChosen(String(place.id))}>
            {place.title}
          </UnstyledButton>
        )}
      />
    </>
  )
}

interface PanelProps {
  link: OpenLink
  id: number
  title: string
  onClose: () => void
}

/** The values of the twin that was chosen on the map. */
function Panel({ link, id, title, onClose }: PanelProps) {
  const { t } = useTranslation()
  const host = useRef<HTMLElement>(null)
  useEffect(() => {
    host.current?.focus({ preventScroll: true })
    host.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section ref={host} tabIndex={-1} className={classes.panel} aria-label={title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600}>{title}</Text>
        <CloseButton aria-label={t('twins.map.close')} onClick={onClose} />
      </Group>
      <SharedStates link={link} twinId={id} title={title} plain />
      <Button component="a" href={`#/public/${link.key}/tiles/${id}`} variant="default" size="xs">
        {t('sharing.page.tiles')}
      </Button>
    </section>
  )
}
