import { Button, Group, Stack, Text } from '@mantine/core'
import { IconBellRinging } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { browserName, hashOf, ownSubscription, pushSupport, subscribeBrowser } from './browser.ts'

/** The browsers of the user that show messages of rules. */
export default function PushSection() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const support = pushSupport()
  const list = useQuery(api.push.list.queryOptions())
  const own = useQuery({
    queryKey: ['push-own'],
    queryFn: async () => {
      const found = await ownSubscription()
      return found === null ? null : hashOf(found.endpoint)
    },
    enabled: support !== 'impossible',
  })
  const reload = async () => {
    await cache.invalidateQueries({ queryKey: api.push.key() })
    await cache.invalidateQueries({ queryKey: ['push-own'] })
  }
  const subscribe = useMutation({
    mutationFn: async (publicKey: string) => {
      const made = await subscribeBrowser(publicKey)
      if (made === null) return
      const { endpoint, keys } = made.toJSON()
      await client.push.subscribe({
        endpoint: endpoint ?? '',
        keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
        label: browserName(navigator.userAgent),
      })
    },
    onSettled: reload,
  })
  const unsubscribe = useMutation({
    mutationFn: async ({ id, hash }: { id: number; hash: string }) => {
      await client.push.unsubscribe({ id })
      if (hash === own.data) await (await ownSubscription())?.unsubscribe()
    },
    onSettled: reload,
  })
  const items = list.data?.items ?? []
  const isSubscribed = items.some(({ hash }) => hash === own.data)
  const key = list.data?.publicKey
  const error = subscribe.error ?? unsubscribe.error ?? list.error
  return (
    <Section title={t('push.title')} description={t('push.text')}>
      <Stack gap="sm">
        {items.map(({ id, hash, label, usedAt }) => (
          <Group key={id} justify="space-between" gap="sm">
            <div>
              <Text size="sm">
                {label || t('push.unnamed')}
                {hash === own.data ? ` (${t('push.thisBrowser')})` : ''}
              </Text>
              <Text size="xs" c="dimmed">
                {t('push.lastMessage')} <RelativeTime time={usedAt} empty={t('push.never')} />
              </Text>
            </div>
            <Button
              variant="default"
              size="xs"
              loading={unsubscribe.isPending && unsubscribe.variables.id === id}
              onClick={() => unsubscribe.mutate({ id, hash })}
            >
              {t('push.unsubscribe')}
            </Button>
          </Group>
        ))}
        {support === 'possible' && !isSubscribed ? (
          <Button
            variant="default"
            style={{ justifySelf: 'start', alignSelf: 'start' }}
            leftSection={<Icon of={IconBellRinging} />}
            disabled={key === undefined}
            loading={subscribe.isPending}
            onClick={() => key !== undefined && subscribe.mutate(key)}
          >
            {t('push.subscribe')}
          </Button>
        ) : null}
        {support === 'possible' ? null : (
          <Text size="sm" c="dimmed">
            {t(`push.${support}`)}
          </Text>
        )}
        {error ? <ErrorText error={error} /> : null}
      </Stack>
    </Section>
  )
}
