import { Badge, Button, Group, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconEdit, IconPlus, IconShieldCheck, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import classes from './sso.module.css'
import type { SsoClient, SsoKind } from './values.ts'

const SsoForm = onDemand(() => import('./SsoForm.tsx'))

type Open =
  | { what: 'edit'; kind: SsoKind; client: SsoClient | null }
  | { what: 'delete'; client: SsoClient }
  | null

/** One page is enough: an account has at most fifty clients of a kind. */
const page = { limit: 50 }

/** The single sign-on providers of an account. */
export default function SsoTab({ account }: { account: { id: number; scopeId: number } }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const input = { ...page, accountIds: [account.id] }
  const oidc = useQuery(api.oidcClient.list.queryOptions({ input }))
  const oauth2 = useQuery(api.oauth2Client.list.queryOptions({ input }))
  const close = () => {
    setOpen(null)
    void cache.invalidateQueries({ queryKey: api.oidcClient.key() })
    void cache.invalidateQueries({ queryKey: api.oauth2Client.key() })
  }
  const failed = oidc.error ?? oauth2.error
  if (failed) {
    const retry = () => void Promise.all([oidc.refetch(), oauth2.refetch()])
    return <ErrorState error={failed} onRetry={retry} />
  }
  if (!oidc.data || !oauth2.data) return <Loading lines={4} />
  const clients: SsoClient[] = [
    ...oidc.data.items.map((item) => ({ ...item, kind: 'oidc' as const })),
    ...oauth2.data.items.map((item) => ({ ...item, kind: 'oauth2' as const })),
  ]
  if (open?.what === 'edit') {
    return (
      <Suspense fallback={<Loading lines={6} />}>
        <SsoForm account={account} kind={open.kind} client={open.client} onDone={close} />
      </Suspense>
    )
  }
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Text size="sm" c="dimmed" className={classes.intro ?? ''}>
          {t('sso.intro')}
        </Text>
        <AddMenu onAdd={(kind) => setOpen({ what: 'edit', kind, client: null })} />
      </Group>
      {clients.length === 0 ? (
        <EmptyState icon={IconShieldCheck} title={t('sso.empty')} text={t('sso.emptyText')} />
      ) : (
        <ul className={classes.clients}>
          {clients.map((one) => (
            <ClientRow key={`${one.kind}-${one.id}`} client={one} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {open?.what === 'delete' ? (
        <ConfirmDanger
          opened
          onClose={close}
          title={t('sso.delete')}
          text={t('sso.deleteText', { title: open.client.title, count: open.client.users })}
          confirmLabel={t('sso.delete')}
          onConfirm={() => {
            const { id, kind } = open.client
            return kind === 'oidc' ? client.oidcClient.delete({ id }) : client.oauth2Client.delete({ id })
          }}
        />
      ) : null}
    </>
  )
}

function AddMenu({ onAdd }: { onAdd: (kind: SsoKind) => void }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={<Icon of={IconPlus} />} rightSection={<Icon of={IconChevronDown} size={16} />}>
          {t('sso.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['oidc', 'oauth2'] as const).map((kind) => (
          <Menu.Item key={kind} onClick={() => onAdd(kind)}>
            <Text size="sm" fw={550}>
              {t(`sso.kind.${kind}`)}
            </Text>
            <Text size="xs" c="dimmed">
              {t(`sso.kindHint.${kind}`)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function ClientRow({ client: one, onOpen }: { client: SsoClient; onOpen: (open: Open) => void }) {
  const { t } = useTranslation()
  const edit = () => onOpen({ what: 'edit', kind: one.kind, client: one })
  const address =
    one.kind === 'oidc' ? (one.discoveryUrl ?? one.endpoints?.issuer) : one.endpoints.authorization
  return (
    <li className={classes.client}>
      <span className={classes.logo}>
        {one.logo ? <img src={one.logo} alt="" /> : <Icon of={IconShieldCheck} size={22} />}
      </span>
      <div className={classes.about}>
        <Group gap={8}>
          <button type="button" className={classes.name} onClick={edit}>
            {one.title}
          </button>
          <Badge color="gray" variant="light">
            {t(`sso.kind.${one.kind}`)}
          </Badge>
          {one.active ? null : <Badge color="gray">{t('sso.off')}</Badge>}
        </Group>
        <Text size="sm" c="dimmed" className={classes.address ?? ''}>
          {address}
        </Text>
        <Text size="sm" c="dimmed">
          {t('sso.users', { count: one.users })}
        </Text>
      </div>
      <ActionMenu
        label={t('sso.actions', { title: one.title })}
        actions={[
          { label: t('common.edit'), icon: IconEdit, onClick: edit },
          {
            label: t('sso.delete'),
            icon: IconTrash,
            danger: true,
            onClick: () => onOpen({ what: 'delete', client: one }),
          },
        ]}
      />
    </li>
  )
}
