import type { PlatformNode } from '@leitstand/contract/nodes'
import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { partitionsText } from './values.ts'

/** Nodes report twice a second. */
const everyMs = 2_000

/** The nodes of the installation: what each does, how much it has to do, and which do not answer. */
export function NodesTab() {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(
    api.nodes.list.queryOptions({ refetchInterval: everyMs, refetchIntervalInBackground: false }),
  )
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined)
    return (
      <Loading>
        <Skeleton height={240} />
      </Loading>
    )
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={640}>
        {t(data.isCluster ? 'nodes.text' : 'nodes.alone')}
      </Text>
      {data.problem !== null && (
        <Alert
          color="red"
          icon={<Icon of={IconAlertTriangle} />}
          title={t(`nodes.problems.${data.problem}.title`)}
        >
          {t(`nodes.problems.${data.problem}.text`)}
        </Alert>
      )}
      <Section flush>
        <SimpleTable<PlatformNode>
          label={t('nodes.title')}
          inset="md"
          rows={data.nodes}
          rowKey={({ name }) => name}
          columns={[
            {
              key: 'name',
              title: t('nodes.name'),
              wraps: true,
              render: ({ name, isSelf, version }) => (
                <>
                  <Text fw={550}>{name}</Text>
                  <Text size="xs" c="dimmed">
                    {isSelf ? t('nodes.self', { version }) : t('nodes.version', { version })}
                  </Text>
                </>
              ),
            },
            {
              key: 'state',
              title: t('nodes.state'),
              render: ({ isAlive }) => (
                <StatusBadge
                  tone={isAlive ? 'ok' : 'error'}
                  label={t(isAlive ? 'nodes.alive' : 'nodes.silent')}
                />
              ),
            },
            {
              key: 'roles',
              title: t('nodes.roles'),
              wraps: true,
              render: ({ roles, accountShare }) =>
                roles
                  .map((role) =>
                    role === 'derive' && accountShare < 1
                      ? t('nodes.deriving', { percent: formatNumber(accountShare * 100, 0) })
                      : t(`nodes.roleNames.${role}`),
                  )
                  .join(', '),
            },
            {
              key: 'partitions',
              title: t('nodes.partitions'),
              wraps: true,
              render: ({ partitions }) => partitionsText(partitions),
            },
            {
              key: 'waiting',
              title: t('nodes.waiting'),
              align: 'right',
              render: ({ packetsWaiting }) => formatNumber(packetsWaiting, 0),
            },
            {
              key: 'processors',
              title: t('nodes.processors'),
              align: 'right',
              render: ({ processors }) => formatNumber(processors, 2),
            },
            {
              key: 'memory',
              title: t('nodes.memory'),
              align: 'right',
              render: ({ memoryBytes }) => formatBytes(memoryBytes),
            },
            {
              key: 'started',
              title: t('nodes.started'),
              align: 'right',
              render: ({ startedAt }) => <RelativeTime time={startedAt} />,
            },
          ]}
        />
      </Section>
    </Stack>
  )
}
