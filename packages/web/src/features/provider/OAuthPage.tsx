import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { logout, type SessionUser, useSession, verifySession } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { webLink } from '../../lib/webLink.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AuthFrame, ConsentDialog, Failure } from '../people/index.ts'
import classes from './oauth.module.css'
import { ScopeList } from './ScopeList.tsx'

type Request = Awaited<ReturnType<typeof client.oauth.request>>

/** Protocol errors with a text of their own. */
const knownErrors = ['invalid_redirect_uri', 'invalid_client', 'server_error']

/**
 * The consent page of an application: its identity, the requested scopes, and the user's decision. Users who
 * are not signed in sign in first and return here.
 */
export default function OAuthPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [search] = useUrlSearch()
  const session = useSession()
  const [request, refused] = [one(search, 'request'), one(search, 'error')]
  const asks = request !== undefined && refused === undefined
  const { status } = session
  const ready = session.status === 'user' && !session.needsTwoFactor
  useEffect(() => {
    if (!asks || ready) return
    if (status === 'unknown') void verifySession()
    else void navigate({ to: '/login', search: { redirect: `/oauth?request=${request}` }, replace: true })
  }, [asks, ready, status, request, navigate])

  if (!asks) {
    const code = refused !== undefined && knownErrors.includes(refused) ? refused : 'other'
    return (
      <AuthFrame title={t('oauth.refused')}>
        <Stack gap="md">
          <Text size="sm">{t(`oauth.refusals.${code}`)}</Text>
          <Text size="sm">
            <RouterLink to="/home">{t('oauth.toConsole')}</RouterLink>
          </Text>
        </Stack>
      </AuthFrame>
    )
  }
  if (!ready) {
    return (
      <AuthFrame title={t('screens.oauth.title')}>
        <Loading lines={4} />
      </AuthFrame>
    )
  }
  return (
    <>
      <Asked key={request} request={request} user={session.user} />
      {session.needsConsent ? (
        <Suspense>
          <ConsentDialog accountId={session.user.accountId} />
        </Suspense>
      ) : null}
    </>
  )
}

function Asked({ request, user }: { request: string; user: SessionUser }) {
  const { t } = useTranslation()
  const asked = useQuery({
    ...api.oauth.request.queryOptions({ input: { request } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const decide = useMutation({
    mutationFn: (allow: boolean) => client.oauth.decide({ request, allow }),
    onSuccess: ({ returnTo }) => window.location.assign(returnTo),
  })
  const { mutate } = decide
  const session = useSession()
  const mustConsent = session.status === 'user' && session.needsConsent
  const goesOn = asked.data?.allowedBefore === true && !mustConsent
  const begun = useRef(false)
  useEffect(() => {
    if (!goesOn || begun.current) return
    begun.current = true
    mutate(true)
  }, [goesOn, mutate])

  const homepage = webLink(asked.data?.homepage)
  if (asked.isError) {
    return (
      <AuthFrame title={t('oauth.refused')}>
        <Stack gap="md">
          <Failure error={asked.error} />
          <Text size="sm">
            <RouterLink to="/home">{t('oauth.toConsole')}</RouterLink>
          </Text>
        </Stack>
      </AuthFrame>
    )
  }
  if (!asked.data || (goesOn && !decide.isError)) {
    const text = asked.data ? t('oauth.goingOn', { title: asked.data.title }) : undefined
    return (
      <AuthFrame title={t('screens.oauth.title')} text={text}>
        <Loading lines={4} />
      </AuthFrame>
    )
  }
  const leaving = decide.isPending || decide.isSuccess
  const { withinReach, hasNoRole } = asked.data
  const refusal = !withinReach ? 'APPLICATION_OUT_OF_REACH' : hasNoRole ? 'APPLICATION_NO_ROLE' : undefined
  return (
    <AuthFrame
      title={t('oauth.title', { title: asked.data.title })}
      text={t('oauth.account', { account: asked.data.accountName })}
    >
      <Stack gap="md">
        {decide.isError ? <Failure error={decide.error} /> : null}
        {asked.data.description ? <Text size="sm">{asked.data.description}</Text> : null}
        <Who user={user} disabled={leaving} />
        {refusal === undefined ? <What asked={asked.data} /> : <OutOfReach code={refusal} />}
        <Group grow gap={8}>
          <Button variant="default" size="md" disabled={leaving} onClick={() => mutate(false)}>
            {t(refusal === undefined ? 'oauth.refuse' : 'oauth.back')}
          </Button>
          {refusal === undefined ? (
            <Button size="md" loading={leaving} onClick={() => mutate(true)}>
              {t('oauth.allow')}
            </Button>
          ) : null}
        </Group>
        <Text size="xs" c="dimmed">
          {t('oauth.returnsTo', { host: asked.data.returnsTo })}
          {homepage ? (
            <>
              {' '}
              <Anchor inherit {...homepage}>
                {t('oauth.homepage')}
              </Anchor>
            </>
          ) : null}
        </Text>
      </Stack>
    </AuthFrame>
  )
}

function Who({ user, disabled }: { user: SessionUser; disabled: boolean }) {
  const { t } = useTranslation()
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username
  return (
    <div className={`${classes.box} ${classes.who}`}>
      <div className={classes.whoText}>
        <Text size="xs" c="dimmed">
          {t('oauth.signedInAs')}
        </Text>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        {user.email && user.email !== name ? (
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        ) : null}
      </div>
      <Button variant="subtle" size="compact-md" disabled={disabled} onClick={() => void logout()}>
        {t('oauth.somebodyElse')}
      </Button>
    </div>
  )
}

function What({ asked }: { asked: Request }) {
  const { t } = useTranslation()
  return (
    <Stack gap={10}>
      <Text size="sm" fw={550} component="h2" m={0}>
        {t('oauth.may')}
      </Text>
      <ScopeList scopes={asked.scopes} />
      <Text size="xs" c="dimmed">
        {t('oauth.bounds', { account: asked.accountName })}
      </Text>
    </Stack>
  )
}

function OutOfReach({ code }: { code: 'APPLICATION_OUT_OF_REACH' | 'APPLICATION_NO_ROLE' }) {
  const { t } = useTranslation()
  return (
    <Group gap={10} wrap="nowrap" align="flex-start" className={classes.box} role="alert">
      <Icon of={IconAlertTriangle} />
      <Text size="sm">{t(`errors.${code}`)}</Text>
    </Group>
  )
}
