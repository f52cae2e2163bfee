import { IconCpu } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { HealthBadge, healthTones } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'

interface Row {
  id: number
  title: string
  externalId: string
  connectorName: string
  health: number
  lastSeen: string | null
}

const orderKeys = ['title', 'externalId', 'health', 'lastSeen'] as const

/** The devices that use this driver. */
export function DevicesTab({ driverId }: { driverId: number }) {
  const { t } = useTranslation()
  return (
    <ListTable<Row>
      name="driver-devices"
      columns={[
        {
          key: 'title',
          title: t('drivers.devices.title'),
          sortable: true,
          render: (row) => row.title,
          csv: (row) => row.title,
        },
        {
          key: 'externalId',
          title: t('drivers.devices.externalId'),
          sortable: true,
          hideBelow: 'xs',
          render: (row) => row.externalId,
          csv: (row) => row.externalId,
        },
        {
          key: 'connector',
          title: t('drivers.devices.connector'),
          hideBelow: 'sm',
          render: (row) => row.connectorName,
          csv: (row) => row.connectorName,
        },
        {
          key: 'health',
          title: t('drivers.devices.health'),
          sortable: true,
          render: (row) => <HealthBadge health={row.health} />,
          csv: (row) => t(`health.${healthTones[row.health] ?? 'unknown'}`),
        },
        {
          key: 'lastSeen',
          title: t('drivers.devices.lastSeen'),
          sortable: true,
          render: (row) => <RelativeTime time={row.lastSeen} empty={t('drivers.devices.never')} />,
          csv: (row) => row.lastSeen,
        },
      ]}
      query={(params) => {
        const key = orderKeys.find((each) => each === params.orderBy?.replace(/^-/, ''))
        return api.virtualdevice.list.queryOptions({
          input: {
            offset: params.offset,
            limit: params.limit,
            driver_ids: [driverId],
            search_items: params.search,
            order_by: key && params.orderBy?.startsWith('-') ? (`-${key}` as const) : key,
          },
        })
      }}
      rowKey={(row) => row.id}
      rowHref={(row) => `/virtual-devices/${row.id}`}
      searchPlaceholder={t('drivers.devices.search')}
      defaultSort="title"
      empty={
        <EmptyState
          icon={IconCpu}
          title={t('drivers.devices.none')}
          text={t('drivers.devices.noneText')}
          compact
        />
      }
    />
  )
}
