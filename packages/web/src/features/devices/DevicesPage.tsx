import type { BulkSelection } from '@leitstand/contract/bulk'
import { Button, Group } from '@mantine/core'
import {
  IconCpu,
  IconEdit,
  IconFileImport,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconRestore,
} from '@tabler/icons-react'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { CsvButton } from '../../ui/list/CsvButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { BulkAction, ListParams } from '../../ui/list/types.ts'
import { DecodeDialog } from '../letters/index.ts'
import { DeviceStatistics } from './DeviceStatistics.tsx'
import { deviceColumns } from './deviceColumns.tsx'
import { setDisabled } from './disable.ts'
import { deviceListInput } from './filters.ts'
import { GrowthButton } from './growth/GrowthButton.tsx'
import type { DeviceRow } from './queries.ts'
import { useDeviceActions } from './useDeviceActions.tsx'
import { useDeviceFilters } from './useDeviceFilters.ts'
import { ViewSwitch } from './ViewSwitch.tsx'
import { SavedFilters } from './views/SavedFilters.tsx'
import { filterOf } from './views/saved.ts'

const CreateDevice = lazy(() => import('./create/CreateDevice.tsx'))
const BulkEdit = lazy(() => import('./bulk/BulkEdit.tsx'))
const ImportDevices = lazy(() => import('./bulk/ImportDevices.tsx'))

/** The list of virtual devices; with `?create=1` the wizard for one, with `?import=1` the one for many. */
export default function DevicesPage() {
  const [search] = useUrlSearch()
  const can = useCan()
  const [selection, setSelection] = useState<BulkSelection>()
  if (one(search, 'create') === '1' && mayWrite(can)) {
    return (
      <Suspense fallback={<Loading />}>
        <CreateDevice />
      </Suspense>
    )
  }
  if (one(search, 'import') === '1' && mayWrite(can)) {
    return (
      <Suspense fallback={<Loading />}>
        <ImportDevices />
      </Suspense>
    )
  }
  if (selection) {
    return (
      <Suspense fallback={<Loading />}>
        <BulkEdit selection={selection} onCancel={() => setSelection(undefined)} />
      </Suspense>
    )
  }
  return <DeviceList onBulk={setSelection} />
}

const mayWrite = (can: ReturnType<typeof useCan>) =>
  can('VirtualDevice', 'write') || can('VirtualDevice', 'manage')

function DeviceList({ onBulk }: { onBulk: (selection: BulkSelection) => void }) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const filters = useDeviceFilters()
  const writer = mayWrite(can)
  const { rowMenu, dialog } = useDeviceActions(writer)
  const [decoding, setDecoding] = useState<DeviceRow[]>()
  const create = writer ? (
    <Button
      leftSection={<Icon of={IconPlus} />}
      onClick={() => void navigate({ to: '/virtual-devices', search: { create: '1' } })}
    >
      {t('devices.create')}
    </Button>
  ) : undefined
  return (
    <>
      <ListPage<DeviceRow>
        name="devices"
        title={t('devices.title')}
        primaryAction={
          <Group gap={8}>
            <ViewSwitch view="list" />
            <GrowthButton />
            {writer ? (
              <Button
                variant="default"
                leftSection={<Icon of={IconFileImport} />}
                onClick={() => void navigate({ to: '/virtual-devices', search: { import: '1' } })}
              >
                {t('bulk.import.open')}
              </Button>
            ) : null}
            {create}
          </Group>
        }
        above={<DeviceStatistics />}
        columns={deviceColumns(t)}
        query={(params) =>
          api.virtualdevice.list.queryOptions({
            input: { ...deviceListInput(params), include_identifiers: true, include_properties: true },
          })
        }
        csv={(params) => <DeviceCsv params={params} />}
        rowKey={(row) => row.id}
        rowHref={(row) => `/virtual-devices/${row.id}`}
        rowMenu={rowMenu}
        filters={filters}
        besideFilters={(params) => <SavedFilters filter={filterOf(params)} />}
        searchPlaceholder={t('devices.search')}
        withAccounts
        withFavorites
        defaultSort="title"
        isDimmed={(row) => row.disabled}
        bulkActions={writer ? bulkActions(t, cache, setDecoding, onBulk) : []}
        bulkAll={(params, count) => (
          <Button
            size="compact-md"
            variant="default"
            leftSection={<Icon of={IconEdit} size={16} />}
            onClick={() => onBulk({ filter: filterOf(params) })}
          >
            {t('bulk.openAll', { count })}
          </Button>
        )}
        empty={
          <EmptyState
            icon={IconCpu}
            title={t('devices.empty')}
            text={t('devices.emptyText')}
            action={create}
          />
        }
      />
      {dialog}
      <DecodeDialog
        target={decoding && { kind: 'devices', ids: decoding.map(({ id }) => id), title: '', driverId: null }}
        onClose={() => setDecoding(undefined)}
      />
    </>
  )
}

/** All columns of all matching devices, exported by the server. */
function DeviceCsv({ params }: { params: ListParams }) {
  const { t } = useTranslation()
  const { offset: _offset, limit: _limit, ...wanted } = deviceListInput(params)
  return (
    <CsvButton
      name={t('devices.csvName')}
      load={() => client.virtualdevice.exportCsv({ ...wanted, language: currentLanguage() })}
    />
  )
}

function bulkActions(
  t: TFunction,
  cache: QueryClient,
  decode: (rows: DeviceRow[]) => void,
  edit: (selection: BulkSelection) => void,
): BulkAction<DeviceRow>[] {
  const action = (flag: boolean) => ({
    label: t(flag ? 'devices.disable' : 'devices.enable'),
    icon: flag ? IconPlayerPause : IconPlayerPlay,
    onClick: (rows: DeviceRow[], clear: () => void) => void setDisabled(rows, flag, cache, t).then(clear),
  })
  return [
    { label: t('bulk.open'), icon: IconEdit, onClick: (rows) => edit({ ids: rows.map(({ id }) => id) }) },
    action(true),
    action(false),
    { label: t('decoding.open'), icon: IconRestore, onClick: (rows) => decode(rows) },
  ]
}
