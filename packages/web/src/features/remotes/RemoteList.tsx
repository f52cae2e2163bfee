import { type ListedRemoteDevice, remoteLimits } from '@leitstand/contract/remote'
import { Checkbox, Group, Pagination, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { ScrollBox } from '../../ui/page/ScrollBox.tsx'
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
    <ScrollBox label={t('devices.remote.list')}>
      <Table verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <VisuallyHidden>{t('devices.remote.choice')}</VisuallyHidden>
            </Table.Th>
            <Table.Th>{t('devices.remote.name')}</Table.Th>
            <Table.Th visibleFrom="xs">{t('devices.field.externalId')}</Table.Th>
            <Table.Th visibleFrom="xs">{t('devices.field.lastSeen')}</Table.Th>
            <Table.Th>{t('devices.remote.state')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((device) => (
            <Table.Tr key={device.remoteId} {...(device.known ? { c: 'dimmed' } : {})}>
              <Table.Td>
                <Checkbox
                  size="xs"
                  aria-label={t('devices.remote.choose', { name: device.name || device.remoteId })}
                  checked={chosen.has(device.remoteId)}
                  disabled={
                    device.known || (chosen.size >= remoteLimits.pageMax && !chosen.has(device.remoteId))
                  }
                  onChange={() => onToggle(device)}
                />
              </Table.Td>
              <Table.Td>
                <div>{device.name || device.remoteId}</div>
                <div className={`${classes.mono} ${classes.below}`}>{device.externalId}</div>
                {device.description ? (
                  <Text size="xs" c="dimmed" lineClamp={1}>
                    {device.description}
                  </Text>
                ) : null}
              </Table.Td>
              <Table.Td visibleFrom="xs" className={classes.mono}>
                {device.externalId}
              </Table.Td>
              <Table.Td visibleFrom="xs">
                <RelativeTime time={device.lastSeen} empty={t('devices.never')} />
              </Table.Td>
              <Table.Td>
                {device.deviceId === null ? (
                  t(device.known ? 'devices.remote.here' : 'devices.remote.new')
                ) : (
                  <RouterLink to={`/virtual-devices/${device.deviceId}`}>
                    {t('devices.remote.here')}
                  </RouterLink>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
