import { Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import { MapPage } from '../../ui/map/MapPage.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { DeviceClusters } from './DeviceClusters.tsx'
import { DeviceStatistics } from './DeviceStatistics.tsx'
import { filterOf } from './filters.ts'
import { deviceFilterActions } from './slots.ts'
import { useDeviceFilters } from './useDeviceFilters.ts'
import { ViewSwitch } from './ViewSwitch.tsx'

const refreshMs = 60_000

/** The devices of the list's search and filters on a map; the server clusters nearby ones. */
export default function DeviceMapPage() {
  const { t } = useTranslation()
  const filters = useDeviceFilters()
  const list = useListState(filters)
  const wanted = filterOf(listParams(list.state, undefined))
  const extent = useQuery(
    api.virtualdevice.geoMetaInfos.queryOptions({
      input: wanted,
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  return (
    <MapPage
      heading={<Title order={1}>{t('devices.mapTitle')}</Title>}
      actions={<ViewSwitch view="map" />}
      above={
        <>
          <DeviceStatistics />
          <FilterBar
            list={list}
            filters={filters}
            searchPlaceholder={t('devices.search')}
            withAccounts
            withFavorites
          >
            <SlotParts slot={deviceFilterActions} props={{ filter: wanted }} />
          </FilterBar>
        </>
      }
      extent={extent}
      asked={wanted}
      none={{ title: t('devices.map.none'), text: t('devices.map.noneText') }}
    >
      {(bounds) => <DeviceClusters wanted={wanted} bounds={bounds} />}
    </MapPage>
  )
}
