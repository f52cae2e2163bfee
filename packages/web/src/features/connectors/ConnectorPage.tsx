import { Button } from '@mantine/core'
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { DetailPage, type DetailTab } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { withTabs } from '../../ui/page/tabs.ts'
import { UsedBy } from '../objects/index.ts'
import { KindLabel, StateBadge } from './ConnectorBadges.tsx'
import { DeleteConnector } from './DeleteConnector.tsx'
import { KeySection } from './KeySection.tsx'
import { kinds } from './kinds/index.ts'
import { LastMessage } from './LastMessage.tsx'
import { MetadataTab } from './MetadataTab.tsx'
import { type Connector, invalidateConnectors } from './queries.ts'
import { StatusTab } from './StatusTab.tsx'
import { connectorTabs } from './slots.ts'
import { TrafficTab } from './TrafficTab.tsx'

/** One connector: its settings, how to connect, and its traffic. */
export default function ConnectorPage() {
  const { t } = useTranslation()
  const { id: param } = useParams({ strict: false }) as { id: string }
  const id = Number(param)
  const cache = useQueryClient()
  const can = useCan()
  const { data, error, refetch } = useQuery(api.bridge.get.queryOptions({ input: { id } }))
  useLive(Number.isInteger(id) ? `connector:${id}` : null, (message) => {
    if (message.kind === 'connector' || message.kind === 'resync') void invalidateConnectors(cache)
  })
  return (
    <DetailPage
      icon={data ? kinds[data.kind].icon : IconPlugConnected}
      title={data?.name}
      overline={data ? <Overline connector={data} /> : undefined}
      badges={data ? <StateBadge connector={data} live={false} /> : undefined}
      actions={data ? <Actions connector={data} /> : undefined}
      error={error}
      onRetry={() => void refetch()}
      listPath="/connectors/list"
      facts={data ? factsOf(data, t) : []}
      tabs={data ? withTabs(tabsOf(data, t), connectorTabs, { connector: data }, { t, can }) : []}
    />
  )
}

function tabsOf(connector: Connector, t: ReturnType<typeof useTranslation>['t']): DetailTab[] {
  return [
    {
      key: 'metadata',
      label: t('connectors.tab.metadata'),
      content: <MetadataTab connector={connector} />,
    },
    {
      key: 'connection',
      label: t('connectors.tab.connection'),
      content: <Connection connector={connector} />,
    },
    { key: 'logs', label: t('connectors.tab.logs'), content: <TrafficTab id={connector.id} /> },
    { key: 'status', label: t('connectors.tab.status'), content: <StatusTab id={connector.id} /> },
    {
      key: 'uses',
      label: t('uses.title'),
      content: (
        <UsedBy
          of="connector"
          id={connector.id}
          lists={{ virtualDevice: `/virtual-devices?connector=${connector.id}` }}
        />
      ),
    },
  ]
}

function Overline({ connector }: { connector: Connector }) {
  return (
    <>
      {connector.accountName} · <KindLabel kind={connector.kind} />
    </>
  )
}

function factsOf(data: Connector, t: ReturnType<typeof useTranslation>['t']) {
  const { messagesPerSecond: limit } = data.settings
  return [
    {
      label: t('connectors.field.stateMessage'),
      value: data.stateMessage || '–',
    },
    { label: t('connectors.field.stateAt'), value: <RelativeTime time={data.stateAt} /> },
    { label: t('connectors.field.lastMessageAt'), value: <LastMessage connector={data} /> },
    {
      label: t('connectors.field.devices'),
      value:
        data.deviceCount > 0 ? (
          <RouterLink to={`/virtual-devices?connector=${data.id}`}>
            {formatNumber(data.deviceCount, 0)}
          </RouterLink>
        ) : (
          '0'
        ),
    },
    {
      label: t('connectors.limit.label'),
      value:
        typeof limit === 'number'
          ? t('connectors.limit.value', { rate: formatNumber(limit, 0) })
          : t('connectors.limit.none'),
    },
    {
      label: t('limitHits.ofAccount'),
      value: <RouterLink to={`/account-mgmt/${data.accountId}?tab=limits`}>{t('limitHits.look')}</RouterLink>,
    },
    { label: t('connectors.field.id'), value: data.id },
  ]
}

function Actions({ connector }: { connector: Connector }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const after = {
    onError: (error: unknown) => notifyError(error),
    onSettled: () => invalidateConnectors(cache),
  }
  const reset = useMutation({
    mutationFn: () => client.bridge.stateReset({ id: connector.id }),
    onSuccess: () => notifySuccess(t('connectors.resetDone')),
    ...after,
  })
  const toggle = useMutation({
    mutationFn: () => client.bridge.update({ ...connector, enabled: !connector.enabled }),
    onSuccess: (saved) =>
      notifySuccess(
        t(saved.enabled ? 'connectors.enabledNote' : 'connectors.disabledNote', { name: saved.name }),
      ),
    ...after,
  })
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon of={IconRefresh} />}
        disabled={!connector.enabled}
        loading={reset.isPending}
        onClick={() => reset.mutate()}
      >
        {t('connectors.reset')}
      </Button>
      <MoreMenu
        actions={[
          {
            label: t(connector.enabled ? 'connectors.disable' : 'connectors.enable'),
            icon: connector.enabled ? IconPlayerPause : IconPlayerPlay,
            onClick: () => toggle.mutate(),
          },
          { label: t('connectors.delete'), icon: IconTrash, onClick: () => setDeleting(true), danger: true },
        ]}
      />
      <DeleteConnector
        connector={deleting ? connector : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/connectors/list' })}
      />
    </>
  )
}

/** How devices and network servers reach this connector: addresses, sign-in and a command to try. */
function Connection({ connector }: { connector: Connector }) {
  const { Connection: OfKind } = kinds[connector.kind]
  return <OfKind connector={connector} keys={<KeySection connector={connector} />} />
}
