import { Badge, Button, Group, Text } from '@mantine/core'
import {
  IconEdit,
  IconLockOpen,
  IconMail,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
  IconUpload,
  IconUsers,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { type Account, accountPath } from '../accounts/index.ts'
import { invalidateUsers, type UserRow, userName, userPath } from './queries.ts'
import { listInput, rolesText, stateOf } from './userList.ts'

/** The users of an account; optionally also those of accounts below it and administrators from above. */
export default function UsersTab({ account }: { account: Account }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const can = useCan()
  const me = useUser()
  const [deleting, setDeleting] = useState<UserRow | undefined>(undefined)
  const manages = can('UserManagement', 'manage')
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      notifySuccess(done)
    } catch (error) {
      notifyError(error)
    }
    await invalidateUsers(cache)
  }
  const switchUser = (row: UserRow) =>
    act(
      async () => {
        const user = await client.user.get({ id: row.id })
        const { access: _unchanged, ...data } = user
        await client.user.update({ ...data, active: !row.active })
      },
      t(row.active ? 'users.deactivatedNote' : 'users.activatedNote', { name: userName(row) }),
    )
  const create = can('UserManagement', 'create') ? (
    <Group gap={8}>
      <RouterLink to={`/account-mgmt/user-bulk-create/${account.id}`} underline="never">
        <Button component="span" variant="default" leftSection={<Icon of={IconUpload} />}>
          {t('users.import')}
        </Button>
      </RouterLink>
      <Button
        leftSection={<Icon of={IconPlus} />}
        onClick={() => void navigate({ to: `/account-mgmt/user/${account.id}` })}
      >
        {t('users.create')}
      </Button>
    </Group>
  ) : null
  return (
    <>
      <ListTable<UserRow>
        name="users"
        columns={columns(t, account.id)}
        query={(params) => api.user.list.queryOptions({ input: listInput(params, account.id) })}
        rowKey={(row) => row.id}
        {...(manages
          ? {
              rowHref: (row: UserRow) =>
                row.email === '' ? accountPath(account.id, 'users') : userPath(row),
            }
          : {})}
        rowMenu={(row) => [
          {
            label: t('common.edit'),
            icon: IconEdit,
            onClick: () => void navigate({ to: userPath(row) }),
            hidden: !manages || row.email === '',
          },
          {
            label: t('users.inviteAgain'),
            icon: IconMail,
            onClick: () => void act(() => client.user.invite({ id: row.id }), t('users.invitedNote')),
            hidden: !manages || !row.invited || !row.active || row.email === '',
          },
          {
            label: t('users.unlock'),
            icon: IconLockOpen,
            onClick: () => void act(() => client.user.unlock({ id: row.id }), t('users.unlockedNote')),
            hidden: !manages || stateOf(row, Date.now()) !== 'locked' || row.email === '',
          },
          {
            label: t(row.active ? 'users.deactivate' : 'users.activate'),
            icon: row.active ? IconPlayerPause : IconPlayerPlay,
            onClick: () => void switchUser(row),
            hidden: !manages || row.id === me.id || row.email === '',
          },
          {
            label: t('users.delete'),
            icon: IconTrash,
            onClick: () => setDeleting(row),
            danger: true,
            hidden: !manages || row.id === me.id || row.email === '',
          },
        ]}
        filters={[
          {
            key: 'state',
            label: t('users.field.state'),
            options: (['active', 'inactive'] as const).map((value) => ({
              value,
              label: t(`users.state.${value}`),
            })),
          },
          {
            key: 'include',
            label: t('users.include.label'),
            multiple: true,
            options: (['sub', 'parent'] as const).map((value) => ({
              value,
              label: t(`users.include.${value}`),
            })),
          },
        ]}
        searchPlaceholder={t('users.search')}
        defaultSort="lastName"
        isDimmed={(row) => !row.active}
        header={() => (
          <Group justify="flex-end" mb="sm">
            {create}
          </Group>
        )}
        empty={<EmptyState icon={IconUsers} title={t('users.empty')} text={t('users.emptyText')} order={3} />}
      />
      <ConfirmDanger
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={t('users.deleteTitle', { name: deleting ? userName(deleting) : '' })}
        text={t('users.deleteText')}
        confirmLabel={t('users.delete')}
        onConfirm={async () => {
          if (!deleting) return
          await client.user.delete({ id: deleting.id })
          notifySuccess(t('users.deletedNote', { name: userName(deleting) }))
          await invalidateUsers(cache)
        }}
      />
    </>
  )
}

export function columns(t: TFunction, accountId: number): ListColumn<UserRow>[] {
  return [
    {
      key: 'lastName',
      title: t('users.field.name'),
      sortable: true,
      render: userName,
      csv: userName,
    },
    {
      key: 'username',
      title: t('users.field.username'),
      sortable: true,
      // Usually equal to the e-mail address shown next to it.
      optional: true,
      render: (row) => row.username,
      csv: (row) => row.username,
    },
    {
      key: 'email',
      title: t('users.field.email'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => row.email || '–',
      csv: (row) => row.email,
    },
    {
      key: 'roles',
      title: t('users.field.roles'),
      hideBelow: 'xs',
      render: (row) => (
        <Group gap={4}>
          {row.parentAdmin ? <Badge color="gray">{t('users.parentAdmin')}</Badge> : null}
          {row.accountId !== accountId && !row.parentAdmin ? (
            <Badge color="gray" variant="outline">
              {row.accountName}
            </Badge>
          ) : null}
          <Text span size="sm">
            {rolesText(t, row)}
          </Text>
        </Group>
      ),
      csv: (row) => rolesText(t, row),
    },
    {
      key: 'state',
      title: t('users.field.state'),
      render: (row) => t(`users.state.${stateOf(row, Date.now())}`),
      csv: (row) => t(`users.state.${stateOf(row, Date.now())}`),
    },
    {
      key: 'lastLoginAt',
      title: t('users.field.lastLogin'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => (row.lastLoginAt ? <RelativeTime time={row.lastLoginAt} /> : '–'),
      csv: (row) => (row.lastLoginAt ? formatTime(row.lastLoginAt) : ''),
    },
  ]
}
