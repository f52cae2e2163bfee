import type { DashboardSummary } from '@leitstand/contract/dashboards'
import { Button } from '@mantine/core'
import { IconLayoutDashboard, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { CreateDashboard } from './CreateDashboard.tsx'

/** All dashboards, `/dashboards`. */
export default function DashboardsPage() {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [search, update] = useUrlSearch()
  const [deleting, setDeleting] = useState<DashboardSummary | null>(null)
  const manages = can('Dashboards', 'manage')
  const create = manages ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('dashboards.create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage<DashboardSummary>
        name="dashboards"
        title={t('dashboards.heading')}
        primaryAction={create}
        columns={[
          {
            key: 'name',
            title: t('dashboards.name'),
            sortable: true,
            csv: (board) => board.name,
            render: (board) => board.name,
          },
          {
            key: 'description',
            title: t('dashboards.description'),
            hideBelow: 'sm',
            csv: (board) => board.description,
            render: (board) => board.description || '–',
          },
          {
            key: 'account',
            title: t('dashboards.account'),
            hideBelow: 'md',
            csv: (board) => board.accountName,
            render: (board) => board.accountName,
          },
          {
            key: 'widgets',
            title: t('dashboards.widgets'),
            align: 'right',
            hideBelow: 'xs',
            csv: (board) => board.widgetCount,
            render: (board) => board.widgetCount,
          },
          {
            key: 'updatedAt',
            title: t('dashboards.updatedAt'),
            sortable: true,
            csv: (board) => formatTime(board.updatedAt),
            render: (board) => <RelativeTime time={board.updatedAt} dimmed />,
          },
        ]}
        query={({ offset, limit, search, accountIds, orderBy, favorites }) =>
          api.dashboards.list.queryOptions({
            input: {
              offset,
              limit,
              favorites,
              ...(search ? { search } : {}),
              ...(accountIds ? { accountIds } : {}),
              ...(orderBy ? { orderBy: orderBy as 'name' } : {}),
            },
          })
        }
        rowKey={(board) => board.id}
        rowHref={(board) => `/dashboards/${board.id}`}
        rowMenu={(board) => [
          {
            label: t('dashboards.edit'),
            icon: IconPencil,
            hidden: !manages,
            onClick: () => void navigate({ to: `/dashboards/${board.id}`, search: { edit: '1' } }),
          },
          {
            label: t('dashboards.delete'),
            icon: IconTrash,
            danger: true,
            hidden: !manages,
            onClick: () => setDeleting(board),
          },
        ]}
        searchPlaceholder={t('dashboards.searchPlaceholder')}
        withAccounts
        withFavorites
        defaultSort="name"
        empty={
          <EmptyState
            icon={IconLayoutDashboard}
            title={t('dashboards.empty')}
            text={t('dashboards.emptyText')}
            action={create}
          />
        }
      />
      {one(search, 'create') === '1' && create ? (
        <CreateDashboard onClose={() => update({ create: undefined })} />
      ) : null}
      <ConfirmDanger
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('dashboards.deleteTitle', { name: deleting?.name })}
        text={t('dashboards.deleteText')}
        confirmLabel={t('dashboards.delete')}
        onConfirm={async () => {
          if (!deleting) return
          await client.dashboards.delete({ id: deleting.id })
          notifySuccess(t('dashboards.deleted', { name: deleting.name }))
          await cache.invalidateQueries({ queryKey: api.dashboards.list.key() })
        }}
      />
    </>
  )
}
