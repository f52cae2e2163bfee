import type { TwinSummary } from '@leitstand/contract/twins'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { type DependencyReply, dependencyPath } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { useTwinsChanged } from './queries.ts'

interface OwnScopeProps {
  twin: Pick<TwinSummary, 'id' | 'title' | 'accountId'>
  onClose: () => void
}

const holderKinds: ReadonlySet<string> = new Set(['scopeUser', 'scopeKey', 'scopeSignOn'])

/** Gives a twin a scope of its own or removes it, and shows who has roles there. */
export function OwnScope({ twin, onClose }: OwnScopeProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const changed = useTwinsChanged()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const input = { id: twin.id }
  const current = useQuery(api.digitaltwin.get.queryOptions({ input }))
  const hasScope = current.data?.hasOwnScope === true
  const used = useQuery(api.digitaltwin.dependencies.queryOptions({ input, enabled: hasScope, staleTime: 0 }))
  const holders = used.data?.items.filter(({ kind }) => holderKinds.has(kind))
  // They are listed first: if anything else is listed, they are complete.
  const more = used.data?.more === true && holders?.length === used.data.items.length
  const run = async (work: () => Promise<unknown>, done: string) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
      notifySuccess(done)
      await changed()
      await cache.invalidateQueries({ queryKey: api.acl.listScopes.key() })
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const failed = failure ?? current.error ?? used.error
  return (
    <Modal opened onClose={onClose} title={t('twins.ownScope.title', { title: twin.title })} centered>
      <Stack gap="md">
        <Text size="sm">{t(hasScope ? 'twins.ownScope.inherited' : 'twins.ownScope.text')}</Text>
        {current.isPending || (hasScope && used.isPending) ? <Loading lines={2} /> : null}
        {holders ? (
          <Stack gap={6}>
            <Text size="sm" fw={550}>
              {t('twins.ownScope.holders')}
            </Text>
            {holders.length > 0 ? (
              <Holders items={holders} more={more} />
            ) : (
              <Text size="sm">{t('twins.ownScope.noHolders')}</Text>
            )}
            <RouterLink to={`/account-mgmt/${twin.accountId}?tab=users`} size="sm" onClick={onClose}>
              {t('twins.ownScope.toUsers')}
            </RouterLink>
            {holders.length > 0 ? (
              <Text size="sm" c="dimmed">
                {t('twins.ownScope.removeHint')}
              </Text>
            ) : null}
          </Stack>
        ) : null}
        {failed ? <ErrorText error={failed} /> : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t(hasScope ? 'common.close' : 'common.cancel')}
          </Button>
          {hasScope ? (
            <Button
              variant="default"
              loading={busy}
              disabled={holders?.length !== 0}
              onClick={() =>
                void run(
                  () => client.digitaltwin.deleteScope(input),
                  t('twins.ownScope.removed', { title: twin.title }),
                )
              }
            >
              {t('twins.ownScope.remove')}
            </Button>
          ) : (
            <Button
              loading={busy}
              disabled={!current.data}
              onClick={() =>
                void run(
                  () => client.digitaltwin.createScope(input),
                  t('twins.ownScope.created', { title: twin.title }),
                )
              }
            >
              {t('twins.ownScope.create')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** Who has roles in the scope, with links to where these are taken away. */
function Holders({ items, more }: Pick<DependencyReply, 'items' | 'more'>) {
  const { t } = useTranslation()
  return (
    <>
      <List size="sm" spacing={6}>
        {items.map((item) => (
          <List.Item key={`${item.kind}-${item.id}`}>
            {t(`twins.ownScope.kinds.${item.kind}`)}:{' '}
            <RouterLink to={dependencyPath(item) ?? '/account-mgmt'} underline="always">
              {item.title}
            </RouterLink>
          </List.Item>
        ))}
      </List>
      {more ? (
        <Text size="sm" c="dimmed">
          {t('danger.more')}
        </Text>
      ) : null}
    </>
  )
}
