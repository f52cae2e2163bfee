import { useThrottledCallback } from '@mantine/hooks'
import { IconCpu, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Fragment, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { useRecordRecent } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { HealthBadge, OperationalBadge, StatusBadge } from '../../ui/display/Badges.tsx'
import { FavoriteStar } from '../../ui/display/FavoriteStar.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { DetailPage, type DetailTab } from '../../ui/page/DetailPage.tsx'
import { HistoryButton } from '../../ui/page/HistoryButton.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { withTabs } from '../../ui/page/tabs.ts'
import { PositionTab } from '../twins/index.ts'
import { DeleteDevice } from './DeleteDevice.tsx'
import { DependenciesTab } from './DependenciesTab.tsx'
import { setDisabled } from './disable.ts'
import { FixedPosition } from './FixedPosition.tsx'
import { MasterDataTab } from './MasterDataTab.tsx'
import { PacketsTab } from './packets/PacketsTab.tsx'
import type { Device } from './queries.ts'
import { RoutingTab } from './routing/RoutingTab.tsx'
import { StatesTab } from './StatesTab.tsx'
import { type DeviceAction, deviceActions, deviceTabs } from './slots.ts'

/** Minimum time between reloads of a device that sends every second. */
const refreshEveryMs = 2000

/** A device: values, packets, master data, and a diagnosis if nothing arrives. */
export default function DevicePage() {
  const { t } = useTranslation()
  const { id: param } = useParams({ strict: false }) as { id: string }
  const id = Number(param)
  const can = useCan()
  const cache = useQueryClient()
  const options = api.virtualdevice.get.queryOptions({ input: { id } })
  const { data, error, refetch } = useQuery(options)
  useRecordRecent('virtualDevice', id, data?.title)
  const refresh = useThrottledCallback(
    () => void cache.invalidateQueries({ queryKey: options.queryKey }),
    refreshEveryMs,
  )
  useLive(Number.isInteger(id) ? `packets:${id}` : null, (message) => {
    if (message.kind === 'packet' || message.kind === 'resync') refresh()
  })
  return (
    <DetailPage
      icon={thingIcon(data?.icon ?? null, IconCpu)}
      title={data?.title}
      overline={data ? <Path device={data} /> : undefined}
      badges={data ? <Badges device={data} /> : undefined}
      actions={data ? <Actions device={data} /> : undefined}
      facts={data ? factsOf(data, t) : []}
      error={error}
      onRetry={() => void refetch()}
      listPath="/virtual-devices"
      tabs={data ? withTabs(tabsOf(data, t), deviceTabs, { device: data }, { t, can }) : []}
    />
  )
}

function tabsOf(device: Device, t: TFunction): DetailTab[] {
  return [
    { key: 'states', label: t('devices.tab.states'), content: <StatesTab device={device} /> },
    { key: 'packets', label: t('devices.tab.packets'), content: <PacketsTab device={device} /> },
    {
      key: 'position',
      label: t('devices.tab.position'),
      content: (
        <PositionTab category="virtualDevice" object={device} fixed={<FixedPosition device={device} />} />
      ),
    },
    { key: 'routing', label: t('devices.tab.routing'), content: <RoutingTab device={device} /> },
    { key: 'data', label: t('devices.tab.data'), content: <MasterDataTab device={device} /> },
    { key: 'dependencies', label: t('uses.title'), content: <DependenciesTab device={device} /> },
  ]
}

function Path({ device }: { device: Device }) {
  return (
    <>
      {device.accountName}
      {device.ancestors.map((ancestor) => (
        <Fragment key={ancestor.id}>
          {' / '}
          <RouterLink to={`/digitaltwin-mgmt/${ancestor.id}`} c="inherit">
            {ancestor.title}
          </RouterLink>
        </Fragment>
      ))}
    </>
  )
}

function Badges({ device }: { device: Device }) {
  const { t } = useTranslation()
  return (
    <>
      <HealthBadge health={device.health} />
      <OperationalBadge status={device.operationalStatus} />
      {device.disabled ? (
        <StatusBadge tone="unknown" icon={IconPlayerPause} label={t('devices.disabled')} />
      ) : null}
    </>
  )
}

function factsOf(device: Device, t: TFunction) {
  return [
    {
      label: t('devices.field.lastSeen'),
      value: <RelativeTime time={device.lastSeen} empty={t('devices.never')} />,
    },
    { label: t('devices.field.externalId'), value: device.externalId },
    {
      label: t('devices.field.connector'),
      value: <ConnectorLink device={device} />,
    },
    {
      label: t('devices.field.driver'),
      value:
        device.driverId === null ? (
          t('devices.noDriver')
        ) : (
          <RouterLink to={`/virtual-device-drivers/${device.driverId}`}>
            {device.driverTitle}
            {device.driverVersion === null ? '' : ` v${device.driverVersion}`}
          </RouterLink>
        ),
    },
    {
      label: t('devices.field.template'),
      value: <TemplateLink device={device} />,
      hidden: device.templateId === null,
    },
    { label: t('devices.field.packets'), value: formatNumber(device.packetCount, 0) },
    { label: t('devices.field.id'), value: device.id },
  ]
}

function TemplateLink({ device }: { device: Device }) {
  const can = useCan()
  return can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage') ? (
    <RouterLink to={`/device-templates/${device.templateId}`}>{device.templateTitle}</RouterLink>
  ) : (
    device.templateTitle
  )
}

function ConnectorLink({ device }: { device: Device }) {
  const can = useCan()
  return can('all', 'manage') ? (
    <RouterLink to={`/connectors/edit/${device.accountId}/${device.connectorId}`}>
      {device.connectorName}
    </RouterLink>
  ) : (
    device.connectorName
  )
}

function Actions({ device }: { device: Device }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const [action, setAction] = useState<DeviceAction>()
  return (
    <>
      <FavoriteStar type="virtualDevice" objectId={device.id} />
      <HistoryButton subject="VirtualDevice" id={device.id} />
      <MoreMenu
        actions={[
          {
            label: t(device.disabled ? 'devices.enable' : 'devices.disable'),
            icon: device.disabled ? IconPlayerPlay : IconPlayerPause,
            onClick: () => void setDisabled([device], !device.disabled, cache, t),
            hidden: !device.editable,
          },
          ...deviceActions.parts.map((part) => ({
            label: t(part.label),
            icon: part.icon,
            onClick: () => setAction(part),
            hidden: !(part.isShown(device) && (device.editable || part.forReaders)),
          })),
          {
            label: t('devices.delete'),
            icon: IconTrash,
            onClick: () => setDeleting(true),
            danger: true,
            hidden: !device.editable,
          },
        ]}
      />
      {action ? (
        <Suspense fallback={null}>
          <action.Dialog device={device} onClose={() => setAction(undefined)} />
        </Suspense>
      ) : null}
      <DeleteDevice
        device={deleting ? device : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/virtual-devices' })}
      />
    </>
  )
}
