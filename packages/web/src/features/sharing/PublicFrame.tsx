import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { IconLinkOff, IconLock } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client, queryClient } from '../../lib/api.ts'
import { onLinkEnd } from '../../lib/live.ts'
import { usePageTitle } from '../../lib/page.ts'
import { useStore } from '../../lib/store.ts'
import { visitorStore } from '../../lib/visitor.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { isMissing } from '../../ui/feedback/NotFound.tsx'
import classes from './sharing.module.css'

type Opened = Awaited<ReturnType<typeof client.shared.open>>

/** A link that is open. */
export interface OpenLink {
  key: string
  kind: Opened['kind']
  objectId: number
  title: string
  timeZone: string
}

const accessKey = (key: string) => `leitstand.link.${key}`

function storedAccess(key: string): string | null {
  try {
    return sessionStorage.getItem(accessKey(key))
  } catch {
    // Storage is unavailable: the password is asked for again.
    return null
  }
}

function storeAccess(key: string, access: string): void {
  try {
    sessionStorage.setItem(accessKey(key), access)
  } catch {
    // As above.
  }
}

/**
 * Frame of the public pages: opens the link of the address, asks for its password, and says when it has ended.
 * Public pages are always light, see `App`.
 */
export function PublicFrame({ children }: { children: (link: OpenLink) => ReactNode }) {
  const { key } = useParams({ strict: false }) as { key: string }
  const visitor = useStore(visitorStore)
  useLayoutEffect(() => {
    visitorStore.set({ key, access: storedAccess(key) })
    return () => visitorStore.set(null)
  }, [key])
  return (
    <div className={classes.page}>
      {visitor?.key === key ? <Content linkKey={key}>{children}</Content> : null}
    </div>
  )
}

function Content({ linkKey, children }: { linkKey: string; children: (link: OpenLink) => ReactNode }) {
  const query = useQuery(
    api.shared.open.queryOptions({ input: { key: linkKey }, retry: false, refetchInterval: 5 * 60_000 }),
  )
  const { refetch } = query
  useEffect(() => onLinkEnd(() => void refetch()), [refetch])
  const link = query.data
  usePageTitle(link?.title ?? undefined)
  // A key that was cut off while copying is of another form.
  if (isMissing(query.error)) return <Ended />
  if (query.isError && !link)
    return <ErrorState order={1} error={query.error} onRetry={() => void query.refetch()} />
  if (!link) return <Loading lines={8} />
  if (link.locked) return <Locked linkKey={linkKey} />
  const { kind, objectId, title, timeZone } = link
  if (objectId === null) return <Ended />
  return <>{children({ key: linkKey, kind, objectId, title: title ?? '', timeZone })}</>
}

function Ended() {
  const { t } = useTranslation()
  return (
    <div className={classes.centre}>
      <Icon of={IconLinkOff} size={34} />
      <Title order={1}>{t('sharing.gone')}</Title>
      <Text size="sm" c="dimmed">
        {t('sharing.goneText')}
      </Text>
    </div>
  )
}

function Locked({ linkKey }: { linkKey: string }) {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const unlock = useMutation({
    mutationFn: () => client.shared.unlock({ key: linkKey, password }),
    onSuccess: async ({ access }) => {
      storeAccess(linkKey, access)
      visitorStore.set({ key: linkKey, access })
      await queryClient.invalidateQueries({ queryKey: api.shared.key() })
    },
  })
  return (
    <form
      className={classes.centre}
      onSubmit={(event) => {
        event.preventDefault()
        if (password !== '') unlock.mutate()
      }}
    >
      <Icon of={IconLock} size={34} />
      <Title order={1}>{t('sharing.locked')}</Title>
      <Stack gap="sm" w="100%">
        <PasswordInput
          label={t('sharing.field.password')}
          autoFocus
          autoComplete="off"
          maxLength={200}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {unlock.error ? <ErrorText error={unlock.error} /> : null}
        <Button type="submit" loading={unlock.isPending}>
          {t('sharing.unlock')}
        </Button>
      </Stack>
    </form>
  )
}
