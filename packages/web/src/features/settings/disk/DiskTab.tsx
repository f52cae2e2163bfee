import type { DiskUsage } from '@leitstand/contract/diskUsage'
import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core'
import { IconDatabase, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatBytes, formatDate, formatNumber } from '../../../lib/format.ts'
import { Fact } from '../../../ui/display/Fact.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError } from '../../../ui/feedback/notify.ts'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import classes from './disk.module.css'
import { growthText, kindsText, percentOf } from './values.ts'

/** What uses the disk: kinds of data, accounts, devices and twins, and when nothing is free any more. */
export function DiskTab() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { data, error, refetch } = useQuery(api.diskUsage.read.queryOptions())
  const measuring = useMutation({
    mutationFn: () => client.diskUsage.measure(),
    onSuccess: (measured) => cache.setQueryData(api.diskUsage.read.queryKey(), measured),
    onError: (failure) => notifyError(failure, t('diskUsage.failed')),
  })
  const measure = (
    <Button
      variant="default"
      leftSection={<Icon of={IconRefresh} />}
      loading={measuring.isPending}
      onClick={() => measuring.mutate()}
    >
      {t('diskUsage.measure')}
    </Button>
  )
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined)
    return (
      <Loading>
        <Skeleton height={96} mb={16} />
        <Skeleton height={320} />
      </Loading>
    )
  if (data.usage === null)
    return (
      <EmptyState
        icon={IconDatabase}
        title={t('diskUsage.none')}
        text={t('diskUsage.noneText')}
        action={measure}
      />
    )
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Text size="sm" c="dimmed" maw={640}>
          {t('diskUsage.text')}
        </Text>
        {measure}
      </Group>
      <Figures usage={data.usage} />
      <Kinds usage={data.usage} />
      <div className={classes.tables}>
        <Accounts usage={data.usage} />
        <Twins usage={data.usage} />
      </div>
    </Stack>
  )
}

interface UsageProps {
  usage: DiskUsage
}

function Figures({ usage }: UsageProps) {
  const { t } = useTranslation()
  const { bytes, disk, fullAt, growthPerDay, measuredAt } = usage
  return (
    <Section>
      <div className={classes.facts}>
        <Fact label={t('diskUsage.database')}>{formatBytes(bytes)}</Fact>
        <Fact label={t('diskUsage.growth')}>
          {growthPerDay === null ? t('diskUsage.later') : growthText(growthPerDay)}
        </Fact>
        <Fact label={t('diskUsage.free')}>
          {disk
            ? t('diskUsage.freeOf', {
                free: formatBytes(disk.freeBytes),
                total: formatBytes(disk.totalBytes),
              })
            : t('diskUsage.elsewhere')}
        </Fact>
        <Fact label={t('diskUsage.fullAt')}>
          {fullAt === null
            ? growthPerDay === null || !disk
              ? '–'
              : t('diskUsage.never')
            : formatDate(fullAt)}
        </Fact>
        <Fact label={t('diskUsage.measuredAt')}>
          <RelativeTime time={measuredAt} />
        </Fact>
      </div>
    </Section>
  )
}

function Kinds({ usage }: UsageProps) {
  const { t } = useTranslation()
  type Row = DiskUsage['kinds'][number]
  return (
    <Section title={t('diskUsage.kinds')} flush>
      <SimpleTable<Row>
        label={t('diskUsage.kinds')}
        inset="md"
        rows={usage.kinds}
        rowKey={({ kind }) => kind}
        columns={[
          {
            key: 'kind',
            title: t('diskUsage.kind'),
            wraps: true,
            render: ({ kind }) => (
              <>
                <Text fw={550}>{t(`diskUsage.kindNames.${kind}`)}</Text>
                <Text size="xs" c="dimmed">
                  {t(`diskUsage.kindHints.${kind}`)}
                </Text>
              </>
            ),
          },
          {
            key: 'share',
            title: t('diskUsage.share'),
            width: 180,
            card: 'foot',
            render: ({ kind, bytes }) => (
              <Progress
                value={percentOf(bytes, usage.bytes)}
                aria-label={t('diskUsage.shareOf', {
                  kind: t(`diskUsage.kindNames.${kind}`),
                  percent: formatNumber(percentOf(bytes, usage.bytes), 0),
                })}
              />
            ),
          },
          size(t('diskUsage.size')),
          {
            key: 'rows',
            title: t('diskUsage.rows'),
            align: 'right',
            render: ({ rows }) => (rows === 0 ? '–' : t('diskUsage.about', { count: Math.round(rows) })),
          },
          {
            key: 'growth',
            title: t('diskUsage.growth'),
            align: 'right',
            render: ({ growthPerDay }) => (growthPerDay === null ? '–' : growthText(growthPerDay)),
          },
        ]}
      />
    </Section>
  )
}

function Accounts({ usage }: UsageProps) {
  const { t } = useTranslation()
  type Row = DiskUsage['accounts'][number]
  return (
    <Section title={t('diskUsage.accounts')} description={t('diskUsage.estimated')} flush>
      <SimpleTable<Row>
        label={t('diskUsage.accounts')}
        inset="md"
        rows={usage.accounts}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'account',
            title: t('diskUsage.account'),
            wraps: true,
            render: ({ id, name, byKind }) => (
              <Named to={`/account-mgmt/account/${id}`} name={name} note={kindsText(byKind, t)} />
            ),
          },
          size(t('diskUsage.size')),
        ]}
      />
    </Section>
  )
}

function Twins({ usage }: UsageProps) {
  const { t } = useTranslation()
  type Row = DiskUsage['twins'][number]
  const pathOf = ({ id, category }: Row) =>
    category === 'virtualDevice' ? `/virtual-devices/${id}` : `/digitaltwin-mgmt/${id}`
  return (
    <Section title={t('diskUsage.twins')} description={t('diskUsage.estimated')} flush>
      <SimpleTable<Row>
        label={t('diskUsage.twins')}
        inset="md"
        rows={usage.twins}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'twin',
            title: t('diskUsage.twin'),
            wraps: true,
            render: (row) => (
              <Named
                to={pathOf(row)}
                name={row.title}
                note={`${row.accountName} · ${kindsText(row.byKind, t)}`}
              />
            ),
          },
          size(t('diskUsage.size')),
        ]}
      />
    </Section>
  )
}

function Named({ to, name, note }: { to: string; name: string; note: string }) {
  return (
    <>
      <RouterLink to={to} c="inherit" fw={550}>
        {name}
      </RouterLink>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </>
  )
}

/** The column with the bytes. */
const size = (title: string) => ({
  key: 'size',
  title,
  align: 'right' as const,
  render: ({ bytes }: { bytes: number }) => <span className={classes.number}>{formatBytes(bytes)}</span>,
})
