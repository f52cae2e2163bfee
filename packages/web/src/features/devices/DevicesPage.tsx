import type { BulkSelection } from '@leitstand/contract/bulk'
import { Button, Group } from '@mantine/core'
import { IconCpu, IconFileImport, IconPlayerPause, IconPlayerPlay, IconPlus } from '@tabler/icons-react'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import type { FileFormat } from '../../ui/list/files.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { BulkAction, ListParams } from '../../ui/list/types.ts'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { DeviceStatistics } from './DeviceStatistics.tsx'
import { deviceColumns } from './deviceColumns.tsx'
import { setDisabled } from './disable.ts'
import { deviceListInput, filterOf } from './filters.ts'
import { GrowthButton } from './growth/GrowthButton.tsx'
import type { DeviceRow } from './queries.ts'
import { deviceFilterActions, deviceWizards, type SelectionAction, selectionActions } from './slots.ts'
import { useDeviceActions } from './useDeviceActions.tsx'
import { useDeviceFilters } from './useDeviceFilters.ts'
import { ViewSwitch } from './ViewSwitch.tsx'

/** An action and the devices it was started for. */
interface Started {
  action: SelectionAction
  selection: BulkSelection
}

/** The list of virtual devices; with `?create=1` a wizard for one, with `?import=1` one for many. */
export default function DevicesPage() {
  const [search] = useUrlSearch()
  const can = useCan()
  const [started, setStarted] = useState<Started>()
  const close = () => setStarted(undefined)
  const wizard = deviceWizards.parts.find(({ param }) => one(search, param) === '1')
  if (wizard && mayWrite(can)) {
    return (
      <Suspense fallback={<Loading />}>
        <wizard.Content />
      </Suspense>
    )
  }
  const isPage = started?.action.as === 'page'
  return (
    <>
      {/* Stays mounted, so that cancelling finds the selection again. */}
      <div hidden={isPage}>
        <DeviceList onStart={(action, selection) => setStarted({ action, selection })} />
      </div>
      {started ? (
        <Suspense fallback={isPage ? <Loading /> : null}>
          <started.action.Content selection={started.selection} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}

const mayWrite = (can: ReturnType<typeof useCan>) =>
  can('VirtualDevice', 'write') || can('VirtualDevice', 'manage')

const rowKey = (row: DeviceRow) => row.id
const rowHref = (row: DeviceRow) => `/virtual-devices/${row.id}`
const isDisabled = (row: DeviceRow) => row.disabled

type Start = (action: SelectionAction, selection: BulkSelection) => void

function DeviceList({ onStart }: { onStart: Start }) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const filters = useDeviceFilters()
  const writer = mayWrite(can)
  const { rowMenu, dialog } = useDeviceActions(writer)
  const columns = useMemo(() => deviceColumns(t), [t])
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
        columns={columns}
        query={(params) =>
          api.virtualdevice.list.queryOptions({
            input: { ...deviceListInput(params), include_identifiers: true, include_properties: true },
          })
        }
        written={async (params, format) => ({
          name: t('devices.csvName'),
          ...(await deviceFile(params, format)),
        })}
        rowKey={rowKey}
        rowHref={rowHref}
        rowMenu={rowMenu}
        filters={filters}
        besideFilters={(params) => (
          <SlotParts slot={deviceFilterActions} props={{ filter: filterOf(params) }} />
        )}
        searchPlaceholder={t('devices.search')}
        withAccounts
        withFavorites
        defaultSort="title"
        isDimmed={isDisabled}
        bulkActions={writer ? bulkActions(t, cache, onStart) : []}
        bulkAll={(params, count) =>
          selectionActions.parts.map((action) =>
            action.labelAll ? (
              <Button
                key={action.label}
                size="compact-md"
                variant="default"
                leftSection={<Icon of={action.icon} size={16} />}
                onClick={() => onStart(action, { filter: filterOf(params) })}
              >
                {t(action.labelAll, { count })}
              </Button>
            ) : null,
          )
        }
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
    </>
  )
}

/** All columns of all matching devices, exported by the server. */
function deviceFile(params: ListParams, format: FileFormat) {
  const { offset: _offset, limit: _limit, ...wanted } = deviceListInput(params)
  return client.virtualdevice.exportFile({ ...wanted, format, language: currentLanguage() })
}

function bulkActions(t: TFunction, cache: QueryClient, start: Start): BulkAction<DeviceRow>[] {
  const added = (as: SelectionAction['as']) =>
    selectionActions.parts
      .filter((action) => action.as === as)
      .map((action) => ({
        label: t(action.label),
        icon: action.icon,
        onClick: (rows: DeviceRow[]) => start(action, { ids: rows.map(({ id }) => id) }),
      }))
  const disabling = (flag: boolean) => ({
    label: t(flag ? 'devices.disable' : 'devices.enable'),
    icon: flag ? IconPlayerPause : IconPlayerPlay,
    onClick: (rows: DeviceRow[], clear: () => void) => void setDisabled(rows, flag, cache, t).then(clear),
  })
  return [...added('page'), disabling(true), disabling(false), ...added('dialog')]
}
