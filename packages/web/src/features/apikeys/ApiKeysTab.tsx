import type { ApiKey } from '@leitstand/contract'
import { Badge, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { IconEdit, IconKey, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { ConfirmDanger } from '../../ui/ConfirmDanger.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { KeyDialog } from './KeyDialog.tsx'
import { RotateDialog } from './RotateDialog.tsx'
import { stateOf } from './values.ts'

const orderKeys = ['title', 'createdAt', 'lastUsedAt', 'validUntil'] as const

type Open = { what: 'edit'; key: ApiKey | null } | { what: 'rotate' | 'delete'; key: ApiKey } | null

/** Keys with which programs of an account sign in. */
export function ApiKeysTab({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const [open, setOpen] = useState<Open>(null)
  const [token, setToken] = useState<string | null>(null)
  const manages = can('UserManagement', 'manage')
  const close = () => {
    setOpen(null)
    void cache.invalidateQueries({ queryKey: api.apikey.key() })
  }
  const show = (made: string) => {
    setToken(made)
    close()
  }
  const create = manages ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setOpen({ what: 'edit', key: null })}>
      {t('apiKeys.create')}
    </Button>
  ) : null
  return (
    <>
      <ListTable<ApiKey>
        name="api-keys"
        columns={columns(t)}
        query={(params) => api.apikey.list.queryOptions({ input: listInput(params, accountId) })}
        rowKey={(row) => row.id}
        {...(manages ? { rowMenu: (row: ApiKey) => menu(t, row, setOpen) } : {})}
        searchPlaceholder={t('apiKeys.search')}
        defaultSort="title"
        header={() => (
          <Group justify="flex-end" mb="sm">
            {create}
          </Group>
        )}
        isDimmed={(row) => stateOf(row, Date.now()) === 'ended'}
        empty={<EmptyState icon={IconKey} title={t('apiKeys.empty')} text={t('apiKeys.emptyText')} />}
      />
      {open?.what === 'edit' ? (
        <KeyDialog accountId={accountId} editing={open.key} onClose={close} onToken={show} />
      ) : null}
      {open?.what === 'rotate' ? <RotateDialog apiKey={open.key} onClose={close} onToken={show} /> : null}
      {open?.what === 'delete' ? (
        <ConfirmDanger
          opened
          onClose={close}
          title={t('apiKeys.delete')}
          text={t('apiKeys.deleteText', { title: open.key.title })}
          confirmLabel={t('apiKeys.delete')}
          onConfirm={() => client.apikey.delete({ id: open.key.id })}
        />
      ) : null}
      <TokenDialog token={token} onClose={() => setToken(null)} />
    </>
  )
}

/** The token of a key, this once. */
function TokenDialog({ token, onClose }: { token: string | null; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={token !== null}
      onClose={onClose}
      title={t('apiKeys.tokenTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={false}
      centered
    >
      <Stack gap="md">
        <Text size="sm">{t('apiKeys.tokenText')}</Text>
        <Group gap={6} wrap="nowrap">
          <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', wordBreak: 'break-all' }}>
            {token}
          </Code>
          <CopyButton value={token ?? ''} size={32} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('apiKeys.tokenDone')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function menu(t: TFunction, key: ApiKey, open: (what: Open) => void) {
  return [
    { label: t('common.edit'), icon: IconEdit, onClick: () => open({ what: 'edit', key }) },
    { label: t('apiKeys.rotate'), icon: IconRefresh, onClick: () => open({ what: 'rotate', key }) },
    {
      label: t('apiKeys.delete'),
      icon: IconTrash,
      onClick: () => open({ what: 'delete', key }),
      danger: true,
    },
  ]
}

function listInput(params: ListParams, accountId: number) {
  const key = orderKeys.find((each) => each === params.orderBy?.replace(/^-/, ''))
  return {
    ...{ offset: params.offset, limit: params.limit, search: params.search, accountIds: [accountId] },
    orderBy: key && params.orderBy?.startsWith('-') ? (`-${key}` as const) : key,
  }
}

function columns(t: TFunction): ListColumn<ApiKey>[] {
  return [
    {
      key: 'title',
      title: t('apiKeys.field.title'),
      sortable: true,
      render: (row) => row.title,
      csv: (row) => row.title,
    },
    {
      key: 'prefix',
      title: t('apiKeys.field.prefix'),
      hideBelow: 'xs',
      render: (row) => <Code>{row.prefix}…</Code>,
      csv: (row) => row.prefix,
    },
    {
      key: 'role',
      title: t('apiKeys.field.role'),
      render: (row) => row.roleName,
      csv: (row) => row.roleName,
    },
    {
      key: 'scope',
      title: t('apiKeys.field.scope'),
      optional: true,
      render: (row) => row.scopeName,
      csv: (row) => row.scopeName,
    },
    {
      key: 'callsPerMinute',
      title: t('apiKeys.field.callsPerMinute'),
      align: 'right',
      optional: true,
      render: (row) => row.callsPerMinute,
      csv: (row) => row.callsPerMinute,
    },
    {
      key: 'validUntil',
      title: t('apiKeys.field.validUntil'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => <Validity row={row} />,
      csv: (row) => row.validUntil ?? '',
    },
    {
      key: 'lastUsedAt',
      title: t('apiKeys.field.lastUsedAt'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => <RelativeTime time={row.lastUsedAt} empty={t('apiKeys.neverUsed')} />,
      csv: (row) => row.lastUsedAt ?? '',
    },
    {
      key: 'createdBy',
      title: t('apiKeys.field.createdBy'),
      optional: true,
      render: (row) => `${row.createdBy}, ${formatTime(row.createdAt)}`,
      csv: (row) => row.createdBy,
    },
  ]
}

function Validity({ row }: { row: ApiKey }) {
  const { t } = useTranslation()
  const state = stateOf(row, Date.now())
  if (state === 'ended') return <Badge color="gray">{t('apiKeys.ended')}</Badge>
  if (state === 'notYet') return <Badge color="gray">{t('apiKeys.notYet')}</Badge>
  return <>{row.validUntil ? formatTime(row.validUntil) : t('apiKeys.unlimited')}</>
}
