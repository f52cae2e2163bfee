import { Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SessionList, sessionsFirst, sessionsMax } from './SessionList.tsx'

/** The sessions of another user, for administrators: each can be ended, or all at once. */
export function UserSessions({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [limit, setLimit] = useState(sessionsFirst)
  const sessions = useQuery(api.user.listSessions.queryOptions({ input: { id: userId, limit } }))
  const refresh = () => cache.invalidateQueries({ queryKey: api.user.listSessions.key() })
  const end = useMutation({
    mutationFn: (sessionId: number) => client.user.endSession({ id: userId, sessionId }),
    onSuccess: () => notifySuccess(t('sessions.ended', { count: 1 })),
    onError: (error) => notifyError(error),
    onSettled: refresh,
  })
  const endAll = useMutation({
    mutationFn: () => client.user.endSessions({ id: userId }),
    onSuccess: ({ ended }) => notifySuccess(t('sessions.ended', { count: ended })),
    onError: (error) => notifyError(error),
    onSettled: refresh,
  })
  const some = (sessions.data?.items ?? []).some(({ current }) => !current)
  return (
    <Section
      title={t('sessions.title')}
      description={t('sessions.hintOther')}
      actions={
        some ? (
          <Button variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>
            {t('sessions.endAll')}
          </Button>
        ) : null
      }
    >
      {sessions.isLoadingError ? (
        <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
      ) : sessions.data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {t('sessions.none')}
        </Text>
      ) : sessions.data ? (
        <SessionList
          page={sessions.data}
          own={false}
          onEnd={(id) => end.mutate(id)}
          onMore={limit < sessionsMax ? () => setLimit(sessionsMax) : undefined}
        />
      ) : (
        <Loading lines={3} />
      )}
    </Section>
  )
}
