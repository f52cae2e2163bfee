import { Drawer, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { IconArrowsExchange } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatClock, formatDuration, formatTime, formatTimeExact } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { LiveDot } from '../../ui/display/LiveDot.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { JsonView } from '../../ui/json/JsonView.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { errorText, summary } from './entries.ts'
import classes from './logs.module.css'
import type { Traffic } from './queries.ts'
import { Raw } from './Raw.tsx'

const refreshEveryMs = 1000
const traffic = (id: number) => api.bridge.traffic.queryOptions({ input: { id, limit: 100 } })

/** The last 100 packets of a connector: raw, decoded and errors. */
export function TrafficTab({ id }: { id: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const list = useQuery(traffic(id))
  const [failedOnly, setFailedOnly] = useState(false)
  const [open, setOpen] = useState<Traffic | undefined>(undefined)
  const refresh = useThrottledCallback(() => void reread(cache, traffic(id).queryKey), refreshEveryMs)
  useLive(`connector:${id}`, (message) => {
    if (message.kind === 'traffic' || message.kind === 'resync') refresh()
  })
  if (list.isLoadingError)
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading />
  const entries = list.data.items.filter((entry) => !failedOnly || entry.error !== null)
  return (
    <Section
      title={t('connectors.traffic.title')}
      description={t('connectors.traffic.text')}
      flush
      actions={
        <Group gap={12}>
          <LiveDot />
          <SegmentedControl
            size="xs"
            aria-label={t('connectors.traffic.show')}
            value={failedOnly ? 'failed' : 'all'}
            onChange={(value) => setFailedOnly(value === 'failed')}
            data={[
              { value: 'all', label: t('connectors.traffic.all') },
              { value: 'failed', label: t('connectors.traffic.failed') },
            ]}
          />
        </Group>
      }
    >
      {entries.length === 0 ? (
        <EmptyState
          icon={IconArrowsExchange}
          title={t(failedOnly ? 'connectors.traffic.noneFailed' : 'connectors.traffic.none')}
          text={failedOnly ? undefined : t('connectors.traffic.noneText')}
          compact
        />
      ) : (
        <ul className={classes.list}>
          {entries.map((entry) => (
            <li key={entry.seq}>
              <UnstyledButton className={classes.entry ?? ''} onClick={() => setOpen(entry)}>
                <span className={classes.time} title={formatTimeExact(entry.at)}>
                  {formatClock(entry.at)}
                </span>
                <span className={classes.who}>{entry.identifier ?? '–'}</span>
                <span className={classes.what}>{summary(entry)}</span>
                <Outcome entry={entry} />
                <span className={classes.took}>{formatDuration(entry.durationUs / 1000)}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      <EntryDrawer entry={open} onClose={() => setOpen(undefined)} />
    </Section>
  )
}

function Outcome({ entry }: { entry: Traffic }) {
  const { t } = useTranslation()
  return entry.error ? (
    <StatusBadge tone="error" label={errorText(entry.error, t)} />
  ) : (
    <StatusBadge tone="ok" label={t('connectors.traffic.stored')} />
  )
}

/** Raw and decoded side by side. */
function EntryDrawer({ entry, onClose }: { entry: Traffic | undefined; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Drawer
      opened={entry !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={t('connectors.traffic.entry')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {entry ? (
        <Stack gap="md">
          <Group gap="xl">
            <Fact label={t('connectors.traffic.at')}>{formatTime(entry.at)}</Fact>
            <Fact label={t('connectors.traffic.identifier')}>
              {entry.deviceId === null ? (
                (entry.identifier ?? '–')
              ) : (
                <RouterLink to={`/virtual-devices/${entry.deviceId}?tab=packets`}>
                  {entry.identifier}
                </RouterLink>
              )}
            </Fact>
            <Fact label={t('connectors.traffic.duration')}>{formatDuration(entry.durationUs / 1000)}</Fact>
          </Group>
          {entry.error ? (
            <div>
              <StatusBadge tone="error" label={errorText(entry.error, t)} />
              <Text size="sm" mt={4}>
                {entry.error.message}
              </Text>
            </div>
          ) : null}
          <div className={classes.sides}>
            <div>
              <Text size="sm" fw={550} mb={6}>
                {t('connectors.traffic.raw')}
              </Text>
              <Raw text={entry.raw} />
            </div>
            <div>
              <Text size="sm" fw={550} mb={6}>
                {t('connectors.traffic.decoded')}
              </Text>
              {entry.decoded === null ? (
                <Text size="sm" c="dimmed">
                  {t('connectors.traffic.nothing')}
                </Text>
              ) : (
                <JsonView value={entry.decoded} openLevels={4} />
              )}
            </div>
          </div>
        </Stack>
      ) : null}
    </Drawer>
  )
}
