import { Button, Text } from '@mantine/core'
import {
  IconExternalLink,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { KindLabel, StateBadge } from './ConnectorBadges.tsx'
import { connectorPath } from './connectorPath.ts'
import classes from './connectors.module.css'
import { DeleteConnector } from './DeleteConnector.tsx'
import { kindNames } from './kinds/index.ts'
import { LastMessage } from './LastMessage.tsx'
import { listInput } from './listInput.ts'
import { type Connector, invalidateConnectors } from './queries.ts'

/** The connectors, with their live state. */
export default function ConnectorsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [deleting, setDeleting] = useState<Connector | undefined>(undefined)
  const act = async (work: Promise<unknown>, done: string) => {
    try {
      await work
      notifySuccess(done)
    } catch (error) {
      notifyError(error)
    }
    await invalidateConnectors(cache)
  }
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => void navigate({ to: '/connectors/create' })}>
      {t('connectors.create')}
    </Button>
  )
  return (
    <>
      <ListPage<Connector>
        name="connectors"
        title={t('connectors.title')}
        description={t('connectors.description')}
        primaryAction={create}
        columns={columns(t)}
        query={(params) =>
          api.bridge.list.queryOptions({ input: listInput(params), refetchInterval: 30_000 })
        }
        rowKey={(row) => row.id}
        rowHref={connectorPath}
        rowMenu={(row) => [
          {
            label: t('connectors.open'),
            icon: IconExternalLink,
            onClick: () => void navigate({ to: connectorPath(row) }),
          },
          {
            label: t('connectors.reset'),
            icon: IconRefresh,
            onClick: () => void act(client.bridge.stateReset({ id: row.id }), t('connectors.resetDone')),
            hidden: !row.enabled,
          },
          {
            label: t(row.enabled ? 'connectors.disable' : 'connectors.enable'),
            icon: row.enabled ? IconPlayerPause : IconPlayerPlay,
            onClick: () =>
              void act(
                client.bridge.update({ ...row, enabled: !row.enabled }),
                t(row.enabled ? 'connectors.disabledNote' : 'connectors.enabledNote', { name: row.name }),
              ),
          },
          { label: t('connectors.delete'), icon: IconTrash, onClick: () => setDeleting(row), danger: true },
        ]}
        filters={[
          {
            key: 'kind',
            label: t('connectors.field.kind'),
            options: kindNames.map((kind) => ({ value: kind, label: t(`connectors.kind.${kind}.name`) })),
          },
        ]}
        searchPlaceholder={t('connectors.search')}
        withAccounts
        defaultSort="name"
        isDimmed={(row) => !row.enabled}
        empty={
          <EmptyState
            icon={IconPlugConnected}
            title={t('connectors.empty')}
            text={t('connectors.emptyText')}
            action={create}
          />
        }
      />
      <DeleteConnector connector={deleting} onClose={() => setDeleting(undefined)} />
    </>
  )
}

export function columns(t: TFunction): ListColumn<Connector>[] {
  return [
    {
      key: 'name',
      title: t('connectors.field.name'),
      sortable: true,
      render: (row) => row.name,
      csv: (row) => row.name,
    },
    {
      key: 'kind',
      title: t('connectors.field.kind'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => <KindLabel kind={row.kind} />,
      csv: (row) => t(`connectors.kind.${row.kind}.name`),
    },
    {
      key: 'state',
      title: t('connectors.field.state'),
      sortable: true,
      render: (row) => <StateBadge connector={row} />,
      csv: (row) => t(`connectors.state.${row.state}`),
    },
    {
      key: 'stateMessage',
      title: t('connectors.field.stateMessage'),
      hideBelow: 'md',
      render: (row) => (
        <Text span size="sm" c="dimmed" className={classes.clip}>
          {row.stateMessage || '–'}
        </Text>
      ),
      csv: (row) => row.stateMessage,
    },
    {
      key: 'devices',
      title: t('connectors.field.devices'),
      align: 'right',
      hideBelow: 'xs',
      render: (row) =>
        row.deviceCount === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/virtual-devices?connector=${row.id}`}>
            {formatNumber(row.deviceCount, 0)}
          </RouterLink>
        ),
      csv: (row) => row.deviceCount,
    },
    {
      key: 'lastMessageAt',
      title: t('connectors.field.lastMessageAt'),
      hideBelow: 'sm',
      render: (row) => <LastMessage connector={row} />,
      csv: (row) => (row.lastMessageAt === null ? '' : formatTime(row.lastMessageAt)),
    },
    {
      key: 'stateAt',
      title: t('connectors.field.stateAt'),
      optional: true,
      render: (row) => <RelativeTime time={row.stateAt} />,
      csv: (row) => formatTime(row.stateAt),
    },
    {
      key: 'account',
      title: t('connectors.field.account'),
      hideBelow: 'md',
      render: (row) => row.accountName,
      csv: (row) => row.accountName,
    },
    {
      key: 'createdAt',
      title: t('connectors.field.createdAt'),
      sortable: true,
      optional: true,
      render: (row) => <RelativeTime time={row.createdAt} />,
      csv: (row) => formatTime(row.createdAt),
    },
  ]
}
