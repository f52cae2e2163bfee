import { Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'
import { Panel } from './Panel.tsx'
import { type Change, changesOf } from './today.ts'

const refreshMs = 60_000
const entriesMax = 200

/** What was changed today in the accounts the user manages. */
export function Today() {
  const { t } = useTranslation()
  const from = new Date(useNow())
  from.setHours(0, 0, 0, 0)
  const log = useQuery(
    api.activityLog.list.queryOptions({
      input: { from: from.toISOString(), limit: entriesMax },
      refetchInterval: refreshMs,
    }),
  )
  const changes = changesOf(log.data?.items ?? [])
  const isPart = (log.data?.total ?? 0) > entriesMax
  return (
    <Panel
      title={t('overview.today.title')}
      aside={
        <RouterLink to="/system-logs?since=24" size="sm">
          {t('overview.today.all')}
        </RouterLink>
      }
    >
      {log.isLoadingError ? (
        <ErrorState error={log.error} onRetry={() => void log.refetch()} compact />
      ) : null}
      {log.isPending ? <Loading lines={4} /> : null}
      {log.data && changes.length === 0 ? (
        <EmptyState icon={IconHistory} title={t('overview.today.none')} compact />
      ) : null}
      {changes.length > 0 ? (
        <ul className={classes.rows}>
          {changes.map((change) => (
            <ChangeRow key={`${change.subject} ${change.action}`} change={change} isPart={isPart} />
          ))}
        </ul>
      ) : null}
    </Panel>
  )
}

/** @param isPart not all entries of the day were counted */
function ChangeRow({ change, isPart }: { change: Change; isPart: boolean }) {
  const { subject, action, count, at, titles, users } = change
  const { t } = useTranslation()
  const more = titles.length < count && titles.length > 0 ? ' …' : ''
  const search = new URLSearchParams({ since: '24', subject, action })
  return (
    <li className={classes.row}>
      <span className={classes.rowText}>
        <RouterLink to={`/system-logs?${search}`} c="inherit" fw={550}>
          {t(`systemLogs.subject.${subject}`, { defaultValue: subject })}:{' '}
          {t(`systemLogs.action.${action}`, { defaultValue: action })}
          {count > 1 ? ` (${formatNumber(count, 0)}${isPart ? '+' : ''})` : ''}
        </RouterLink>
        <Text span size="sm" c="dimmed" truncate>
          {[titles.join(', ') + more, users.join(', ')].filter(Boolean).join(' · ')}
        </Text>
      </span>
      <Text span size="sm" c="dimmed" className={classes.rowTime}>
        <RelativeTime time={at} />
      </Text>
    </li>
  )
}
