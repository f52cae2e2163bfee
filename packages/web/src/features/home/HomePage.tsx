import { ActionIcon, Alert, Text, Title, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCpu,
  IconHierarchy3,
  IconLayoutDashboard,
  IconStack2,
  IconStar,
  IconStarOff,
} from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { recentStore, thingPath } from '../../lib/recent.ts'
import type { RecentKind } from '../../lib/recentEntries.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { useNow } from '../../lib/time.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'

const DevicesByHealth = lazy(() => import('./DevicesByHealth.tsx'))
const MailNotice = lazy(() => import('./MailNotice.tsx'))

const icons: Record<RecentKind, IconType> = {
  digitalTwin: IconHierarchy3,
  virtualDevice: IconCpu,
  dashboard: IconLayoutDashboard,
  smartGroup: IconStack2,
}

/** The start page: devices by health, favourites as tiles, open alarms and recently opened pages. */
export default function HomePage() {
  const { t } = useTranslation()
  const user = useUser()
  const can = useCan()
  const hour = new Date(useNow()).getHours()
  const time = hour < 11 ? 'morning' : hour < 18 ? 'day' : 'evening'
  return (
    <div className={classes.page}>
      <Title order={1} mb={20}>
        {t(`home.greeting.${time}`)}
        {user.firstName ? `, ${user.firstName}` : ''}
      </Title>
      {can('super.system', 'manage') ? <LoadAlarm /> : null}
      {can('all', 'manage') ? (
        <Suspense>
          <MailNotice />
        </Suspense>
      ) : null}
      {can('VirtualDevice', 'read') ? (
        <Suspense>
          <DevicesByHealth />
        </Suspense>
      ) : null}
      <section aria-labelledby="home-favorites">
        <Title order={2} id="home-favorites" mb={10}>
          {t('home.favorites')}
        </Title>
        <Favorites />
      </section>
      <div className={classes.columns} data-single={!can('VirtualDevice', 'read') || undefined}>
        {can('VirtualDevice', 'read') ? <Alarms /> : null}
        <Recently userId={user.id} />
      </div>
    </div>
  )
}

/** Polling interval for the server's load. */
const loadEveryMs = 30_000

/** Warns administrators that the platform responds slowly, with the cause if known. */
function LoadAlarm() {
  const { t } = useTranslation()
  const load = useQuery(api.system.load.queryOptions({ refetchInterval: loadEveryMs }))
  const loop = load.data?.eventLoop
  if (!loop?.isSlow) return null
  const [longest] = loop.longest
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon of={IconAlertTriangle} />}
      title={t('home.slow.title')}
      mb={20}
    >
      {t('home.slow.text', { ms: Math.round(loop.max) })}
      {longest ? ` ${t('home.slow.longest', { operation: longest.operation, ms: longest.ms })}` : ''}
    </Alert>
  )
}

function Favorites() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const list = useQuery(api.favorite.list.queryOptions())
  const remove = useMutation(
    api.favorite.delete.mutationOptions({
      onError: (error) => notifyError(error),
      onSettled: () => cache.invalidateQueries({ queryKey: api.favorite.key() }),
    }),
  )
  if (list.isLoadingError)
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading lines={3} />
  if (list.data.items.length === 0) {
    return (
      <div className={classes.box}>
        <EmptyState icon={IconStar} title={t('home.noFavorites')} text={t('home.noFavoritesHint')} compact />
      </div>
    )
  }
  return (
    <ul className={classes.tiles}>
      {list.data.items.map((favorite) => (
        <li key={favorite.id} className={classes.tile}>
          <Link to={thingPath(favorite.type, favorite.objectId)} className={classes.tileLink ?? ''}>
            <span className={classes.tileIcon}>
              <Icon of={icons[favorite.type]} />
            </span>
            <span className={classes.tileText}>
              <span className={classes.tileTitle}>{favorite.title}</span>
              <span className={classes.tileKind}>{t(`home.kinds.${favorite.type}`)}</span>
            </span>
          </Link>
          <Tooltip label={t('home.removeFavorite', { title: favorite.title })}>
            <ActionIcon
              size={28}
              className={classes.tileRemove ?? ''}
              aria-label={t('home.removeFavorite', { title: favorite.title })}
              onClick={() => remove.mutate({ id: favorite.id })}
            >
              <Icon of={IconStarOff} size={16} />
            </ActionIcon>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}

function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.box}>
      <header className={classes.panelHead}>
        <Title order={2}>{title}</Title>
        {aside}
      </header>
      {children}
    </section>
  )
}

function Alarms() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  useLive('alarms', () => void cache.invalidateQueries({ queryKey: api.alarmLogs.key() }))
  const list = useQuery(api.alarmLogs.list.queryOptions({ input: { status: 'unresolved', limit: 6 } }))
  return (
    <Panel
      title={t('home.alarms')}
      aside={
        <RouterLink to="/alarm-logs" size="sm">
          {t('home.allAlarms')}
        </RouterLink>
      }
    >
      {list.isLoadingError ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : null}
      {list.isPending ? <Loading lines={4} /> : null}
      {list.data?.items.length === 0 ? (
        <EmptyState icon={IconCircleCheck} title={t('home.noAlarms')} text={t('home.noAlarmsHint')} compact />
      ) : null}
      {list.data && list.data.items.length > 0 ? (
        <ul className={classes.rows}>
          {list.data.items.map((alarm) => (
            <li key={alarm.id} className={classes.row}>
              <StatusBadge
                tone={alarm.severity}
                icon={IconAlertTriangle}
                label={t(`home.severity.${alarm.severity}`)}
              />
              <span className={classes.rowText}>
                <RouterLink to={thingPath(alarm.originCategory, alarm.originId)} c="inherit" fw={550}>
                  {alarm.originTitle}
                </RouterLink>
                <Text span size="sm" c="dimmed" truncate>
                  {alarm.message}
                </Text>
              </span>
              <Text span size="sm" c="dimmed">
                <RelativeTime time={alarm.raisedAt} />
              </Text>
            </li>
          ))}
        </ul>
      ) : null}
    </Panel>
  )
}

function Recently({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const entries = useStore(recentStore)
    .filter((entry) => entry.userId === userId)
    .slice(0, 8)
  return (
    <Panel title={t('home.recent')}>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" pt={4}>
          {t('home.noRecent')}
        </Text>
      ) : (
        <ul className={classes.rows}>
          {entries.map((entry) => (
            <li key={`${entry.kind}-${entry.id}`} className={classes.row}>
              <Icon of={icons[entry.kind]} />
              <span className={classes.rowText}>
                <RouterLink to={thingPath(entry.kind, entry.id)} c="inherit" fw={550}>
                  {entry.title}
                </RouterLink>
              </span>
              <Text span size="sm" c="dimmed">
                <RelativeTime time={entry.at} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
