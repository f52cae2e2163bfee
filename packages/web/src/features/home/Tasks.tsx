import { Text } from '@mantine/core'
import { IconChevronRight, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'
import { Panel } from './Panel.tsx'
import { silentMinutes, type Task, tasksOf } from './tasks.ts'

const refreshMs = 60_000
/** Counted over all devices: less often. */
const silentEveryMs = 5 * 60_000
const errorHealth = 2
const jobsMax = 20
const connectorsMax = 100

/** What needs doing; each row leads to where it can be done. */
export function Tasks() {
  const { t } = useTranslation()
  const now = useNow()
  const { known, isPending, error, retry } = useKnown()
  const tasks = tasksOf(known, now)
  return (
    <Panel title={t('overview.tasks.title')}>
      {error ? <ErrorState error={error} onRetry={retry} compact /> : null}
      {isPending ? <Loading lines={4} /> : null}
      {!isPending && !error && tasks.length === 0 ? (
        <EmptyState
          icon={IconCircleCheck}
          title={t('overview.tasks.none')}
          text={t('overview.tasks.noneHint')}
          compact
        />
      ) : null}
      {!isPending && tasks.length > 0 ? (
        <ul className={classes.rows}>
          {tasks.map((task) => (
            <TaskRow key={`${task.key}-${task.id ?? ''}`} task={task} />
          ))}
        </ul>
      ) : null}
    </Panel>
  )
}

function TaskRow({ task: { key, tone, to, title, count, never = 0 } }: { task: Task }) {
  const { t } = useTranslation()
  const isMail = key === 'kept' || key === 'failed' || key === 'delayed'
  return (
    <li>
      <RouterLink
        to={to}
        underline="never"
        c="inherit"
        className={`${classes.row} ${classes.rowLink} ${classes.rowBadge}`}
      >
        <StatusBadge tone={tone} label={t(`overview.tone.${tone}`)} />
        <span className={classes.rowText}>
          <Text span size="sm">
            {isMail ? t(`home.mail.${key}`, { count }) : t(`overview.tasks.${key}`, { count, title })}
          </Text>
          {never > 0 ? (
            <Text span size="sm" c="dimmed">
              {t('overview.tasks.ofThem', { count: never })}
            </Text>
          ) : null}
        </span>
        <Icon of={IconChevronRight} size={16} />
      </RouterLink>
    </li>
  )
}

/** Loaded in parallel, and only what the user may see. */
function useKnown() {
  const can = useCan()
  const [devices, all] = [can('VirtualDevice', 'read'), can('all', 'manage')]
  const silent = useQuery(
    api.virtualdevice.list.queryOptions({
      input: { last_seen_older_minutes: silentMinutes, disabled: false, ids_only: true, limit: 1 },
      enabled: devices,
      refetchInterval: silentEveryMs,
    }),
  )
  const batteries = useQuery(
    api.virtualdevice.list.queryOptions({
      input: { health_categories: ['battery'], disabled: false, ids_only: true, limit: 1 },
      enabled: devices,
      refetchInterval: silentEveryMs,
    }),
  )
  const acceptable = useQuery(
    api.devicedrivers.list.queryOptions({
      input: { outdated: true, limit: 1 },
      enabled: can('DeviceDriver', 'manage'),
      staleTime: silentEveryMs,
    }),
  )
  const counts = useQuery(api.virtualdevice.statistics.queryOptions({ input: {}, enabled: devices }))
  const jobs = useQuery(
    api.job.list.queryOptions({
      input: { limit: jobsMax },
      enabled: devices || all,
      refetchInterval: refreshMs,
    }),
  )
  const connectors = useQuery(
    api.bridge.list.queryOptions({
      input: { limit: connectorsMax },
      enabled: all,
      refetchInterval: refreshMs,
    }),
  )
  const library = useQuery(
    api.devicedrivers.library.queryOptions({
      input: { limit: 1 },
      enabled: can('DeviceDriver', 'manage'),
      staleTime: silentEveryMs,
    }),
  )
  const parked = useQuery(
    api.system.parkedEvents.queryOptions({
      input: { limit: 1 },
      enabled: can('super.system', 'manage'),
      refetchInterval: refreshMs,
    }),
  )
  const mails = useQuery(api.mail.state.queryOptions({ enabled: all, refetchInterval: refreshMs }))
  const queries = [silent, batteries, acceptable, counts, jobs, connectors, library, parked, mails]
  const failed = queries.filter(({ isLoadingError }) => isLoadingError)
  return {
    known: {
      silent: silent.data?.total,
      neverSeen: counts.data?.neverSeen,
      faulty: counts.data?.byHealth.find(({ health }) => health === errorHealth)?.count,
      jobs: jobs.data?.items ?? [],
      connectors: connectors.data?.items ?? [],
      batteries: batteries.data?.total,
      acceptable: acceptable.data?.total,
      updatable: library.data?.installable ? library.data.counts.updatable : undefined,
      parked: parked.data?.total,
      mails: mails.data,
    },
    isPending: queries.some(({ isLoading }) => isLoading),
    error: failed[0]?.error,
    retry: () => {
      for (const query of failed) void query.refetch()
    },
  }
}
