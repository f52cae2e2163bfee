import { Alert, Group, Text, Title } from '@mantine/core'
import { IconInfoCircle, IconMapPinOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { healthTones } from '../../ui/Badges.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import type { ListParams } from '../../ui/list/types.ts'
import { type MapPoint, MapView } from '../../ui/MapView.tsx'
import { DeviceStatistics } from './DeviceStatistics.tsx'
import { deviceListInput } from './filters.ts'
import type { DeviceRow } from './queries.ts'
import { useDeviceFilters } from './useDeviceFilters.ts'
import { ViewSwitch } from './ViewSwitch.tsx'

/** Devices looked at for the map; beyond that the user is asked to narrow the list. */
const devicesMax = 10_000
const pageSize = 1000
const refreshMs = 60_000

/** The devices of the list's search and filters on the map. */
export default function DeviceMapPage() {
  const { t } = useTranslation()
  const filters = useDeviceFilters()
  const list = useListState(filters)
  const params = listParams({ ...list.state, page: 1 }, 'title')
  const { offset: _offset, limit: _limit, ...wanted } = deviceListInput(params)
  const devices = useQuery({
    queryKey: ['devices', 'map', wanted],
    queryFn: () => loadAll(params),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  const placed = (devices.data?.items ?? []).flatMap(toPoint)
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={16} gap={12}>
        <Group gap={10} align="baseline">
          <Title order={1}>{t('devices.mapTitle')}</Title>
          {devices.data ? (
            <Text span c="dimmed" className="tabular">
              {t('devices.map.count', {
                placed: formatNumber(placed.length, 0),
                total: formatNumber(devices.data.total, 0),
              })}
            </Text>
          ) : null}
        </Group>
        <ViewSwitch view="map" />
      </Group>
      <DeviceStatistics />
      <FilterBar
        list={list}
        filters={filters}
        searchPlaceholder={t('devices.search')}
        withAccounts
        withFavorites
      />
      <div style={{ marginTop: 12 }}>
        {devices.isError && !devices.data ? (
          <ErrorState error={devices.error} onRetry={() => void devices.refetch()} />
        ) : !devices.data ? (
          <Loading />
        ) : placed.length === 0 ? (
          <EmptyState icon={IconMapPinOff} title={t('devices.map.none')} text={t('devices.map.noneText')} />
        ) : (
          <>
            {devices.data.total > devicesMax ? (
              <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />} mb={12}>
                {t('devices.map.cut', { count: devicesMax })}
              </Alert>
            ) : null}
            <MapView
              title={t('devices.mapTitle')}
              height="max(420px, calc(100dvh - 330px))"
              points={placed.map((point) => ({ ...point, detail: detailOf(point, t) }))}
            />
          </>
        )}
      </div>
    </>
  )
}

type Placed = MapPoint & { health: number; externalId: string }

function toPoint(device: DeviceRow): Placed[] {
  const { latitude, longitude, health } = device
  if (latitude === null || longitude === null) return []
  return [
    {
      id: String(device.id),
      latitude,
      longitude,
      title: device.title,
      tone: healthTones[health] ?? 'unknown',
      href: `/virtual-devices/${device.id}`,
      health,
      externalId: device.externalId,
    },
  ]
}

function detailOf({ health, externalId }: Placed, t: ReturnType<typeof useTranslation>['t']): string {
  return `${t(`health.${healthTones[health] ?? 'unknown'}`)} · ${externalId}`
}

async function loadAll(params: ListParams): Promise<{ items: DeviceRow[]; total: number }> {
  const items: DeviceRow[] = []
  let total = Number.POSITIVE_INFINITY
  while (items.length < Math.min(total, devicesMax)) {
    const page = await client.virtualdevice.list(
      deviceListInput({ ...params, offset: items.length, limit: pageSize }),
    )
    total = page.total
    if (page.items.length === 0) break
    items.push(...page.items)
  }
  return { items, total }
}
