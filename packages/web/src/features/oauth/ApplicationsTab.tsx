import type { Application } from '@leitstand/contract'
import { Button, Code, Group } from '@mantine/core'
import { IconApps, IconEdit, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { thingIcon } from '../../ui/icons.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { ApplicationDialog } from './ApplicationDialog.tsx'
import classes from './oauth.module.css'
import { SecretDialog, type Shown } from './SecretDialog.tsx'

const orderKeys = ['title', 'createdAt', 'lastUsedAt', 'users'] as const

type Open =
  | { what: 'edit'; application: Application | null }
  | { what: 'rotate' | 'delete'; application: Application }
  | null

/** Applications of an account that sign people in with the platform. */
export function ApplicationsTab({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const [open, setOpen] = useState<Open>(null)
  const [shown, setShown] = useState<Shown | null>(null)
  const manages = can('UserManagement', 'manage')
  const close = () => {
    setOpen(null)
    void cache.invalidateQueries({ queryKey: api.application.key() })
  }
  const show = (made: Shown) => {
    setShown(made)
    close()
  }
  return (
    <>
      <ListTable<Application>
        name="applications"
        columns={columns(t)}
        query={(params) => api.application.list.queryOptions({ input: listInput(params, accountId) })}
        rowKey={(row) => row.id}
        {...(manages ? { rowMenu: (row: Application) => menu(t, row, setOpen) } : {})}
        searchPlaceholder={t('applications.search')}
        defaultSort="title"
        header={() =>
          manages ? (
            <Group justify="flex-end" mb="sm">
              <Button
                leftSection={<Icon of={IconPlus} />}
                onClick={() => setOpen({ what: 'edit', application: null })}
              >
                {t('applications.create')}
              </Button>
            </Group>
          ) : null
        }
        empty={
          <EmptyState icon={IconApps} title={t('applications.empty')} text={t('applications.emptyText')} />
        }
      />
      {open?.what === 'edit' ? (
        <ApplicationDialog
          accountId={accountId}
          editing={open.application}
          onClose={close}
          onCreated={show}
        />
      ) : null}
      {open?.what === 'rotate' ? (
        <RotateDialog application={open.application} onClose={close} onShown={show} />
      ) : null}
      {open?.what === 'delete' ? (
        <ConfirmDanger
          opened
          onClose={close}
          title={t('applications.delete')}
          text={t('applications.deleteText', {
            title: open.application.title,
            count: open.application.users,
          })}
          confirmLabel={t('applications.delete')}
          onConfirm={() => client.application.delete({ id: open.application.id })}
        />
      ) : null}
      {shown ? <SecretDialog shown={shown} onClose={() => setShown(null)} /> : null}
    </>
  )
}

interface RotateDialogProps {
  application: Application
  onClose: () => void
  onShown: (made: Shown) => void
}

/** Replaces the secret; the old one ends at once. */
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

function menu(t: TFunction, application: Application, open: (what: Open) => void) {
  const rotate = {
    label: t('applications.rotate'),
    icon: IconRefresh,
    onClick: () => open({ what: 'rotate', application }),
  }
  return [
    { label: t('common.edit'), icon: IconEdit, onClick: () => open({ what: 'edit', application }) },
    ...(application.kind === 'confidential' ? [rotate] : []),
    {
      label: t('applications.delete'),
      icon: IconTrash,
      onClick: () => open({ what: 'delete', application }),
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

function columns(t: TFunction): ListColumn<Application>[] {
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
      csv: (row) => row.kind,
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
