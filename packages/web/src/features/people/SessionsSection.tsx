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

function Row({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { t } = useTranslation()
  const { browser, system, mobile } = deviceOf(session.userAgent)
  const known = [browser, system].filter((part) => part !== null)
  const name = known.length > 0 ? known.join(' · ') : session.userAgent.slice(0, 60) || t('sessions.unknown')
  const asOther = session.impersonatorName !== null
  return (
    <li className={classes.session}>
      <Icon of={asOther ? IconEye : mobile ? IconDeviceMobile : IconDeviceDesktop} />
      <div className={classes.sessionText}>
        <Group gap={8}>
          <Text size="sm" fw={550}>
            {asOther ? t('sessions.asYou', { name: session.impersonatorName }) : name}
          </Text>
          {session.current ? <Badge color="teal">{t('sessions.current')}</Badge> : null}
        </Group>
        <Text size="xs" c="dimmed">
          {session.ip ? `${session.ip} · ` : null}
          {t('sessions.used')} <RelativeTime time={session.lastUsedAt} />
          {' · '}
          {t('sessions.begun')} <RelativeTime time={session.createdAt} />
        </Text>
      </div>
      {session.current ? null : (
        <Button
          variant="default"
          size="compact-md"
          onClick={onEnd}
          aria-label={t('sessions.endNamed', { name })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}
