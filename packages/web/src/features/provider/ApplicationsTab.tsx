import type { Application } from '@leitstand/contract'
import { Code } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { CredentialList } from '../../ui/list/CredentialList.tsx'
import { orderOf } from '../../ui/list/order.ts'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { ApplicationDialog } from './ApplicationDialog.tsx'
import classes from './oauth.module.css'
import { SecretDialog, type Shown } from './SecretDialog.tsx'

const orderKeys = ['title', 'createdAt', 'lastUsedAt', 'users'] as const

/** Applications of an account that use the platform for sign-in. */
export default function ApplicationsTab({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const can = useCan()
  return (
    <CredentialList<Application, Shown>
      name="applications"
      icon={IconApps}
      columns={columns(t)}
      query={(params) => api.application.list.queryOptions({ input: listInput(params, accountId) })}
      queryKey={api.application.key()}
      manages={can('UserManagement', 'manage')}
      texts={{
        create: t('applications.create'),
        search: t('applications.search'),
        empty: t('applications.empty'),
        emptyText: t('applications.emptyText'),
        rotate: t('applications.rotate'),
        delete: t('applications.delete'),
        deleteText: ({ title, users }) => t('applications.deleteText', { title, count: users }),
      }}
      isRotatable={({ kind }) => kind === 'confidential'}
      remove={({ id }) => client.application.delete({ id })}
      renderForm={(editing, { onClose, onMade }) => (
        <ApplicationDialog accountId={accountId} editing={editing} onClose={onClose} onCreated={onMade} />
      )}
      renderRotate={(application, { onClose, onMade }) => (
        <RotateDialog application={application} onClose={onClose} onShown={onMade} />
      )}
      renderSecret={(shown, onClose) => <SecretDialog shown={shown} onClose={onClose} />}
    />
  )
}

interface RotateDialogProps {
  application: Application
  onClose: () => void
  onShown: (made: Shown) => void
}

/** Replaces the secret; the old one becomes invalid immediately. */
function RotateDialog({ application, onClose, onShown }: RotateDialogProps) {
  const { t } = useTranslation()
  const rotate = useMutation({
    mutationFn: () => client.application.rotate({ id: application.id, version: application.version }),
    onSuccess: onShown,
  })
  return (
    <ConfirmDialog
      opened
      danger
      title={t('applications.rotate')}
      text={t('applications.rotateText', { title: application.title })}
      confirmLabel={t('applications.rotate')}
      onConfirm={() => rotate.mutate()}
      onCancel={onClose}
      busy={rotate.isPending}
    >
      {rotate.isError ? <ErrorText error={rotate.error} /> : null}
    </ConfirmDialog>
  )
}

function listInput({ offset, limit, search, orderBy }: ListParams, accountId: number) {
  return { offset, limit, search, accountIds: [accountId], orderBy: orderOf(orderBy, orderKeys) }
}

export function columns(t: TFunction): ListColumn<Application>[] {
  return [
    {
      key: 'title',
      title: t('applications.field.title'),
      sortable: true,
      render: (row) => (
        <span className={classes.named}>
          <Icon of={thingIcon(row.icon, IconApps)} />
          <span title={row.title}>{row.title}</span>
        </span>
      ),
      csv: (row) => row.title,
    },
    {
      key: 'kind',
      title: t('applications.field.kind'),
      hideBelow: 'sm',
      render: (row) => t(`applications.kinds.${row.kind}`),
      csv: (row) => t(`applications.kinds.${row.kind}`),
    },
    {
      key: 'clientId',
      title: t('applications.field.clientId'),
      optional: true,
      render: (row) => <Code>{row.clientId}</Code>,
      csv: (row) => row.clientId,
    },
    {
      key: 'users',
      title: t('applications.field.users'),
      sortable: true,
      align: 'right',
      render: (row) => row.users,
      csv: (row) => row.users,
    },
    {
      key: 'lastUsedAt',
      title: t('applications.field.lastUsedAt'),
      sortable: true,
      hideBelow: 'xs',
      render: (row) => <RelativeTime time={row.lastUsedAt} empty={t('oauth.granted.never')} />,
      csv: (row) => row.lastUsedAt ?? '',
    },
    {
      key: 'createdBy',
      title: t('applications.field.createdBy'),
      optional: true,
      render: (row) => `${row.createdBy}, ${formatTime(row.createdAt)}`,
      csv: (row) => row.createdBy,
    },
  ]
}
