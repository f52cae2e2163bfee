import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SessionList, sessionsFirst, sessionsMax } from './SessionList.tsx'

/** The user's sessions; each can be ended, or all but the current one. */
export function SessionsSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [limit, setLimit] = useState(sessionsFirst)
  const sessions = useQuery(api.session.list.queryOptions({ input: { limit } }))
  const refresh = () => cache.invalidateQueries({ queryKey: api.session.key() })
  const end = useMutation({
    mutationFn: (id: number) => client.session.end({ id }),
    onSuccess: () => notifySuccess(t('sessions.ended', { count: 1 })),
    onError: (error) => notifyError(error),
    onSettled: refresh,
  })
  const endOthers = useMutation({
    mutationFn: () => client.session.endOthers(),
    onSuccess: ({ ended }) => notifySuccess(t('sessions.ended', { count: ended })),
    onError: (error) => notifyError(error),
    onSettled: refresh,
  })
  const others = (sessions.data?.total ?? 0) > 1
  return (
    <Section
      title={t('sessions.title')}
      description={t('sessions.hint')}
      actions={
        others ? (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('sessions.endOthers')}
          </Button>
        ) : null
      }
    >
      {sessions.isLoadingError ? (
        <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
      ) : sessions.data ? (
        <SessionList
          page={sessions.data}
          own
          onEnd={(id) => end.mutate(id)}
          onMore={limit < sessionsMax ? () => setLimit(sessionsMax) : undefined}
        />
      ) : (
        <Loading lines={3} />
      )}
    </Section>
  )
}
