import { Text } from '@mantine/core'
import { IconCpu } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { HealthBadge, healthTones } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { faultText } from '../jobs/index.ts'
import type { LinkedDevice, Template } from './queries.ts'
import { DeviceSyncBadge } from './SyncBadge.tsx'

const syncStates = ['synced', 'failed', 'behind'] as const
/** Polling interval while a job updates the devices. */
const askMs = 2_000

/** The devices linked to a template, and whether they are in sync. */
export function DevicesTab({ template }: { template: Pick<Template, 'id' | 'syncState'> }) {
  const { t } = useTranslation()
  const columns: ListColumn<LinkedDevice>[] = [
    {
      key: 'title',
      title: t('devices.field.title'),
      render: (row) => row.title,
      csv: (row) => row.title,
    },
    {
      key: 'externalId',
      title: t('devices.field.externalId'),
      hideBelow: 'sm',
      render: (row) => row.externalId,
      csv: (row) => row.externalId,
    },
    {
      key: 'health',
      title: t('devices.field.health'),
      hideBelow: 'xs',
      render: (row) => <HealthBadge health={row.health} />,
      csv: (row) => t(`health.${healthTones[row.health] ?? 'unknown'}`),
    },
    {
      key: 'syncState',
      title: t('templates.field.status'),
      render: (row) => (
        <>
          <DeviceSyncBadge state={row.syncState} />
          {row.error ? (
            <Text size="sm" style={{ whiteSpace: 'normal' }}>
              {faultText(t, { code: row.error.code, column: null })}
            </Text>
          ) : null}
        </>
      ),
      csv: (row) => t(`templates.deviceSync.${row.syncState}`),
    },
    {
      key: 'syncedAt',
      title: t('templates.field.syncedAt'),
      hideBelow: 'sm',
      render: (row) => <RelativeTime time={row.syncedAt} empty={t('devices.never')} />,
      csv: (row) => row.syncedAt,
    },
    {
      key: 'lastSeen',
      title: t('devices.field.lastSeen'),
      hideBelow: 'md',
      render: (row) => <RelativeTime time={row.lastSeen} empty={t('devices.never')} />,
      csv: (row) => row.lastSeen,
    },
  ]
  return (
    <ListTable<LinkedDevice>
      name="template-devices"
      columns={columns}
      query={({ offset, limit, search, filters }) => ({
        ...api.deviceTemplate.fetchLinkedDevices.queryOptions({
          input: {
            id: template.id,
            offset,
            limit,
            search,
            states: filters.state ? syncStates.filter((each) => filters.state?.includes(each)) : undefined,
          },
        }),
        refetchInterval: template.syncState === 'running' ? askMs : false,
      })}
      rowKey={(row) => row.id}
      rowHref={(row) => `/virtual-devices/${row.id}`}
      filters={[
        {
          key: 'state',
          label: t('templates.field.status'),
          options: syncStates.map((state) => ({ value: state, label: t(`templates.deviceSync.${state}`) })),
        },
      ]}
      searchPlaceholder={t('drivers.devices.search')}
      empty={
        <EmptyState
          icon={IconCpu}
          title={t('templates.noDevices')}
          text={t('templates.noDevicesText')}
          compact
        />
      }
    />
  )
}
