import { Button } from '@mantine/core'
import { IconExternalLink, IconPlus, IconTemplate, IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { driverTitle, findDrivers } from '../drivers/index.ts'
import { CreateTemplate } from './CreateTemplate.tsx'
import { DeleteTemplate } from './DeleteTemplate.tsx'
import { listInput } from './listInput.ts'
import type { TemplateRow } from './queries.ts'
import { StageBadge, SyncBadge } from './SyncBadge.tsx'
import classes from './templates.module.css'

/** Device templates: shared settings of similar devices. */
export default function TemplatesPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const writer = useCan()('DeviceTemplate', 'manage')
  const [creating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<TemplateRow | undefined>(undefined)
  const create = writer ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setCreating(true)}>
      {t('templates.create')}
    </Button>
  ) : undefined
  return (
    <>
      <ListPage<TemplateRow>
        name="templates"
        title={t('templates.title')}
        description={t('templates.listText')}
        primaryAction={create}
        columns={columns(t)}
        query={(params) => api.deviceTemplate.list.queryOptions({ input: listInput(params) })}
        rowKey={(row) => row.id}
        rowHref={(row) => `/device-templates/${row.id}`}
        rowMenu={(row) => [
          {
            label: t('templates.open'),
            icon: IconExternalLink,
            onClick: () => void navigate({ to: `/device-templates/${row.id}` }),
          },
          {
            label: t('templates.delete'),
            icon: IconTrash,
            onClick: () => setDeleting(row),
            danger: true,
            hidden: !row.editable,
          },
        ]}
        filters={[
          {
            key: 'stage',
            label: t('templates.field.stage'),
            multiple: false,
            options: (['draft', 'productive'] as const).map((stage) => ({
              value: stage,
              label: t(`templates.stage.${stage}`),
            })),
          },
          { key: 'driver', label: t('devices.field.driver'), load: findDrivers, labelOf: driverTitle },
        ]}
        searchPlaceholder={t('templates.search')}
        withAccounts
        defaultSort="title"
        empty={
          <EmptyState
            icon={IconTemplate}
            title={t('templates.empty')}
            text={t('templates.emptyText')}
            action={create}
          />
        }
      />
      <DeleteTemplate template={deleting} onClose={() => setDeleting(undefined)} />
      {creating ? <CreateTemplate onClose={() => setCreating(false)} /> : null}
    </>
  )
}

export function columns(t: TFunction): ListColumn<TemplateRow>[] {
  return [
    {
      key: 'title',
      title: t('templates.field.title'),
      sortable: true,
      render: (row) => (
        <span className={classes.titleCell}>
          {row.title}
          <span className={classes.small}>
            <SyncBadge state={row.syncState} />
          </span>
        </span>
      ),
      csv: (row) => row.title,
    },
    {
      key: 'id',
      title: t('templates.field.id'),
      sortable: true,
      hideBelow: 'sm',
      width: 80,
      render: (row) => <span className="tabular">{row.id}</span>,
      csv: (row) => row.id,
    },
    {
      key: 'driver',
      title: t('devices.field.driver'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => row.driverTitle,
      csv: (row) => row.driverTitle,
    },
    {
      key: 'account',
      title: t('templates.field.account'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => row.accountName,
      csv: (row) => row.accountName,
    },
    {
      key: 'connector',
      title: t('devices.field.connector'),
      optional: true,
      render: (row) => row.connectorName ?? t('templates.connectorDeletedShort'),
      csv: (row) => row.connectorName,
    },
    {
      key: 'stage',
      title: t('templates.field.stage'),
      hideBelow: 'md',
      render: (row) => <StageBadge stage={row.stage} />,
      csv: (row) => t(`templates.stage.${row.stage}`),
    },
    {
      key: 'status',
      title: t('templates.field.status'),
      hideBelow: 'xs',
      render: (row) => <SyncBadge state={row.syncState} />,
      csv: (row) => t(`templates.sync.${row.syncState}`),
    },
    {
      key: 'deviceCount',
      title: t('templates.field.devices'),
      align: 'right',
      hideBelow: 'xs',
      render: (row) =>
        row.deviceCount === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/virtual-devices?template=${row.id}`}>
            {formatNumber(row.deviceCount, 0)}
          </RouterLink>
        ),
      csv: (row) => row.deviceCount,
    },
    {
      key: 'updatedAt',
      title: t('templates.field.updatedAt'),
      sortable: true,
      hideBelow: 'md',
      render: (row) => <RelativeTime time={row.updatedAt} />,
      csv: (row) => formatTime(row.updatedAt),
    },
    {
      key: 'createdAt',
      title: t('templates.field.createdAt'),
      sortable: true,
      optional: true,
      render: (row) => <RelativeTime time={row.createdAt} />,
      csv: (row) => formatTime(row.createdAt),
    },
  ]
}
