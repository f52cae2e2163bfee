import { type ListedRemoteDevice, remoteLimits } from '@leitstand/contract/remote'
import { Checkbox, Group, Pagination, Text } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './remotes.module.css'

/** Fits on a screen with the buttons below. */
export const pageSize = 10

interface RemoteListProps {
  list: UseQueryResult<{ items: ListedRemoteDevice[]; total: number }>
  isFiltered: boolean
  page: number
  onPage: (page: number) => void
  chosen: ReadonlyMap<string, ListedRemoteDevice>
  onToggle: (device: ListedRemoteDevice) => void
}

/** One page of a network server's devices, or the error. */
export function RemoteList({ list, isFiltered, page, onPage, chosen, onToggle }: RemoteListProps) {
  const { t } = useTranslation()
  if (list.isLoadingError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <Loading lines={6} />
  const { items, total } = list.data
  if (items.length === 0)
    return (
      <EmptyState
        {...(isFiltered ? { kind: 'filtered' } : { icon: IconServerOff })}
        title={t(isFiltered ? 'devices.remote.notFound' : 'devices.remote.none')}
        text={t(isFiltered ? 'devices.remote.notFoundText' : 'devices.remote.noneText')}
        compact
      />
    )
  return (
    <>
      <RemoteTable items={items} chosen={chosen} onToggle={onToggle} />
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed">
          {t('devices.remote.total', { count: total, number: formatNumber(total, 0) })}
        </Text>
        {total > pageSize ? (
          <Pagination
            size="sm"
            total={Math.ceil(total / pageSize)}
            value={page}
            onChange={onPage}
            getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
          />
        ) : null}
      </Group>
    </>
  )
}

function RemoteTable(props: {
  items: readonly ListedRemoteDevice[]
  chosen: ReadonlyMap<string, ListedRemoteDevice>
  onToggle: (device: ListedRemoteDevice) => void
}) {
  const { t } = useTranslation()
  const { items, chosen, onToggle } = props
  return (
    <SimpleTable
      label={t('devices.remote.list')}
      rows={items}
      rowKey={({ remoteId }) => remoteId}
      isDimmed={({ known }) => known}
      spacing={6}
      columns={[
        {
          key: 'choice',
          title: t('devices.remote.choice'),
          width: 36,
          card: 'pick',
          render: (device) => (
            <Checkbox
              size="xs"
              aria-label={t('devices.remote.choose', { name: device.name || device.remoteId })}
              checked={chosen.has(device.remoteId)}
              disabled={device.known || (chosen.size >= remoteLimits.pageMax && !chosen.has(device.remoteId))}
              onChange={() => onToggle(device)}
            />
          ),
        },
        {
          key: 'name',
          title: t('devices.remote.name'),
          card: 'title',
          render: (device) => (
            <>
              <div>{device.name || device.remoteId}</div>
              {device.description ? (
                <Text size="xs" c="dimmed" lineClamp={1}>
                  {device.description}
                </Text>
              ) : null}
            </>
          ),
        },
        {
          key: 'externalId',
          title: t('devices.field.externalId'),
          className: classes.mono,
          render: ({ externalId }) => externalId,
        },
        {
          key: 'lastSeen',
          title: t('devices.field.lastSeen'),
          render: ({ lastSeen }) => <RelativeTime time={lastSeen} empty={t('devices.never')} />,
        },
        {
          key: 'state',
          title: t('devices.remote.state'),
          render: (device) =>
            device.deviceId === null ? (
              t(device.known ? 'devices.remote.here' : 'devices.remote.new')
            ) : (
              <RouterLink to={`/virtual-devices/${device.deviceId}`}>{t('devices.remote.here')}</RouterLink>
            ),
        },
      ]}
    />
  )
}
