import type { Asset } from '@leitstand/contract/assets'
import { Text } from '@mantine/core'
import { IconMapPinOff, IconNavigation } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { type Range, rangeEnds } from '../../lib/range.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { type MapPoint, MapView } from '../../ui/map/MapView.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import { placeTone } from './pure.ts'
import { refreshMs } from './useAssets.ts'

const placesMax = 2_000
/** Degrees around the asset in which zones are drawn. */
const around = 0.02

/** Where an asset is, and how it moved. */
export function AssetTrack({ asset }: { asset: Asset }) {
  const { t } = useTranslation()
  const [range, setRange] = useState<Range>({ preset: '24h' })
  const [openedAtMs] = useState(() => Date.now())
  const ends = rangeEnds(range, openedAtMs)
  const isOpen = 'preset' in range
  const track = useQuery({
    ...api.isAssetMgmt.track.queryOptions({
      input: {
        id: asset.id,
        limit: placesMax,
        start: new Date(ends.fromMs).toISOString(),
        // Up to now as long as the period ends with the present.
        ...(isOpen ? {} : { end: new Date(ends.toMs).toISOString() }),
      },
    }),
    placeholderData: keepPreviousData,
    ...(isOpen ? { refetchInterval: refreshMs } : {}),
  })
  const { position, title, place, zone } = asset
  const zones = useQuery({
    ...api.isAssetMgmt.geo.queryOptions({
      input: {
        zoom: 16,
        west: Math.max(-180, (position?.longitude ?? 0) - around),
        east: Math.min(180, (position?.longitude ?? 0) + around),
        south: Math.max(-90, (position?.latitude ?? 0) - around),
        north: Math.min(90, (position?.latitude ?? 0) + around),
      },
      enabled: position !== null,
    }),
    placeholderData: keepPreviousData,
  })
  const points = useMemo(
    (): MapPoint[] =>
      position === null
        ? []
        : [
            {
              id: String(asset.id),
              ...position,
              title,
              tone: placeTone(place),
              detail: zone?.title ?? t('assets.noZone'),
              icon: { name: 'asset', shape: IconNavigation },
            },
          ],
    [asset.id, position, title, place, zone, t],
  )
  const areas = useMemo(
    () => zones.data?.zones.map(({ polygon }) => ({ polygon, tone: 'accent' as const })) ?? [],
    [zones.data],
  )
  const places = track.data?.items
  const tracks = useMemo(() => (places ? [places] : []), [places])
  return (
    <Section title={t('assets.track')} actions={<TimeRange value={range} onChange={setRange} />}>
      {track.isError && !track.data ? (
        <ErrorState error={track.error} onRetry={() => void track.refetch()} compact />
      ) : null}
      {track.isPending ? <Loading lines={8} /> : null}
      {track.data && position === null ? (
        <EmptyState
          icon={IconMapPinOff}
          title={t('assets.neverSeen')}
          text={t('assets.neverSeenText')}
          compact
        />
      ) : null}
      {track.data && position !== null ? (
        <>
          <MapView
            title={t('assets.track')}
            height="min(60dvh, 480px)"
            points={points}
            tracks={tracks}
            areas={areas}
            plain
          />
          {track.data.reports ? (
            <Text size="sm" c="dimmed" mt="xs">
              {t('assets.positions', { count: places?.length ?? 0 })}
              {track.data.more ? ` ${t('assets.positionsCut')}` : ''}
            </Text>
          ) : null}
        </>
      ) : null}
    </Section>
  )
}
