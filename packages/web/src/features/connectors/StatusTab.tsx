import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { LiveDot } from '../../ui/display/LiveDot.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './logs.module.css'

const refreshMs = 10_000
const logs = (id: number) => api.bridge.logs.queryOptions({ input: { id, limit: 100 } })
const tones = { info: 'accent', warning: 'warning', error: 'error' } as const

/** The last 100 connection events of a connector. */
export function StatusTab({ id }: { id: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  // Events that do not change the state, such as refused sign-ins, are not announced live.
  const list = useQuery({ ...logs(id), refetchInterval: refreshMs })
  useLive(`connector:${id}`, (message) => {
    if (message.kind === 'connector' || message.kind === 'resync') void reread(cache, logs(id).queryKey)
  })
  if (list.isLoadingError)
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading />
  return (
    <Section
      title={t('connectors.status.title')}
      description={t('connectors.status.text')}
      flush
      actions={<LiveDot />}
    >
      {list.data.items.length === 0 ? (
        <EmptyState icon={IconPlugConnected} title={t('connectors.status.none')} compact />
      ) : (
        <ul className={classes.list}>
          {list.data.items.map((entry) => (
            <li key={entry.id} className={classes.statusEntry}>
              <span className={classes.time}>{formatTime(entry.at)}</span>
              <StatusBadge
                tone={tones[entry.level]}
                label={t(`connectors.event.${entry.event}`, { defaultValue: entry.event })}
              />
              <span className={classes.message}>{entry.message}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
