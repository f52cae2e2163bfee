import type { ApiKey } from '@leitstand/contract'
import { Badge, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { roleText } from '../../ui/accounts/roleText.ts'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { CredentialList } from '../../ui/list/CredentialList.tsx'
import { orderOf } from '../../ui/list/order.ts'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { KeyDialog } from './KeyDialog.tsx'
import { RotateDialog } from './RotateDialog.tsx'
import { stateOf } from './values.ts'

const orderKeys = ['title', 'createdAt', 'lastUsedAt', 'validUntil'] as const

/** API keys for an account's programs. */
export default function ApiKeysTab({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const can = useCan()
  return (
    <CredentialList<ApiKey, string>
      name="api-keys"
      icon={IconKey}
      columns={columns(t)}
      query={(params) => api.apikey.list.queryOptions({ input: listInput(params, accountId) })}
      queryKey={api.apikey.key()}
      manages={can('UserManagement', 'manage')}
      texts={{
        create: t('apiKeys.create'),
        search: t('apiKeys.search'),
        empty: t('apiKeys.empty'),
        emptyText: t('apiKeys.emptyText'),
        rotate: t('apiKeys.rotate'),
        delete: t('apiKeys.delete'),
        deleteText: ({ title }) => t('apiKeys.deleteText', { title }),
      }}
      isDimmed={(row) => stateOf(row, Date.now()) === 'ended'}
      isEditable={isOfProgram}
      isRotatable={isOfProgram}
      remove={({ id }) => client.apikey.delete({ id })}
      renderForm={(editing, { onClose, onMade }) => (
        <KeyDialog accountId={accountId} editing={editing} onClose={onClose} onToken={onMade} />
      )}
      renderRotate={(apiKey, { onClose, onMade }) => (
        <RotateDialog apiKey={apiKey} onClose={onClose} onToken={onMade} />
      )}
      renderSecret={(token, onClose) => <TokenDialog token={token} onClose={onClose} />}
    />
  )
}

/** Shows a key's token, which cannot be shown again. */
function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('apiKeys.tokenTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      closeOnClickOutside={false}
      size="lg"
      centered
    >
      <Stack gap="md">
        <Text size="sm">{t('apiKeys.tokenText')}</Text>
        <Group gap={6} wrap="nowrap">
          <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', wordBreak: 'break-all' }}>
            {token}
          </Code>
          <CopyButton value={token} size={32} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('apiKeys.tokenDone')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function listInput({ offset, limit, search, orderBy }: ListParams, accountId: number) {
  return { offset, limit, search, accountIds: [accountId], orderBy: orderOf(orderBy, orderKeys) }
}

/** Public links are changed where they were created. */
const isOfProgram = ({ shows }: ApiKey) => shows === null

function roleOf(t: TFunction, { roleName, roleKey, shows }: ApiKey): string {
  return shows ? t('apiKeys.link') : roleText(t, { name: roleName, key: roleKey })
}

export function columns(t: TFunction): ListColumn<ApiKey>[] {
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
      render: (row) => roleOf(t, row),
      csv: (row) => roleOf(t, row),
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
