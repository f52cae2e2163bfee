import {
  type Announcement,
  type AnnouncementStatus,
  announcementStatuses,
} from '@leitstand/contract/announcements'
import { Box, Button } from '@mantine/core'
import {
  IconBroadcast,
  IconCopy,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { reread } from '../../lib/reread.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { useChosenAccount } from '../../ui/accounts/useChosenAccount.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'

const AnnouncementDialog = onDemand(() => import('./AnnouncementDialog.tsx'))

const tones: Readonly<Record<AnnouncementStatus, Tone>> = {
  shown: 'ok',
  scheduled: 'accent',
  past: 'unknown',
  off: 'unknown',
}
const typeTones: Readonly<Record<Announcement['type'], Tone>> = {
  info: 'accent',
  warning: 'warning',
  error: 'error',
  success: 'ok',
}
const orders = ['createdAt', '-createdAt', 'start', '-start', 'end', '-end'] as const

/** Announcements of an account and those below; `?create=1`, `?edit=<id>` and `?copy=<id>` open the form. */
export default function AnnouncementsPage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const [doomed, setDoomed] = useState<Announcement>()
  const toggle = useToggle()
  const accountId = useChosenAccount() ?? 0
  const edited = one(search, 'edit') ?? one(search, 'copy')
  const close = () => update({ create: undefined, edit: undefined, copy: undefined })
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('announcements.create')}
    </Button>
  )
  return (
    <>
      <ListPage<Announcement>
        name="announcements"
        title={t('screens.announcements.title')}
        description={t('announcements.description')}
        primaryAction={create}
        above={
          <Box maw={360} mb="md">
            <AccountSelect
              label={t('announcements.accountAndBelow')}
              value={String(accountId)}
              onChange={(id) => update({ account: id ?? undefined, page: undefined })}
            />
          </Box>
        }
        columns={columns(t)}
        query={({ offset, limit, search: text, orderBy, filters }) =>
          api.announcement.list.queryOptions({
            input: {
              id: accountId,
              below: true,
              offset,
              limit,
              search: text,
              status: announcementStatuses.find((each) => each === filters.status?.[0]),
              order_by: orders.find((each) => each === orderBy) ?? '-createdAt',
            },
          })
        }
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/account-mgmt-announcements?account=${accountId}&edit=${id}`}
        rowMenu={(row) => [
          {
            label: t('common.edit'),
            icon: IconPencil,
            onClick: () => update({ edit: String(row.id) }),
          },
          {
            label: t('announcements.duplicate'),
            icon: IconCopy,
            onClick: () => update({ copy: String(row.id) }),
          },
          {
            label: t(row.active ? 'announcements.deactivate' : 'announcements.activate'),
            icon: row.active ? IconPlayerPause : IconPlayerPlay,
            hidden: row.status === 'past',
            onClick: () => toggle.mutate(row),
          },
          {
            label: t('announcements.delete'),
            icon: IconTrash,
            danger: true,
            onClick: () => setDoomed(row),
          },
        ]}
        isDimmed={({ status }) => status === 'past' || status === 'off'}
        filters={[
          {
            key: 'status',
            label: t('announcements.status'),
            options: announcementStatuses.map((value) => ({
              value,
              label: t(`announcements.statuses.${value}`),
            })),
          },
        ]}
        searchPlaceholder={t('announcements.search')}
        defaultSort="-createdAt"
        empty={
          <EmptyState
            icon={IconBroadcast}
            title={t('announcements.empty')}
            text={t('announcements.emptyText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {one(search, 'create') === '1' ? <AnnouncementDialog accountId={accountId} onClose={close} /> : null}
        {edited === undefined ? null : (
          <AnnouncementDialog
            key={edited}
            of={Number(edited)}
            isCopy={one(search, 'copy') !== undefined}
            accountId={accountId}
            onClose={close}
          />
        )}
      </Suspense>
      <DeleteAnnouncement announcement={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}

function useToggle() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ id, active }: Announcement) => client.announcement.setState({ id, active: !active }),
    onSuccess: ({ active }) =>
      notifySuccess(t(active ? 'announcements.activated' : 'announcements.deactivated')),
    onError: (error) => notifyError(error),
    onSettled: () => reread(cache, api.announcement.key()),
  })
}

interface DeleteProps {
  announcement: Announcement | undefined
  onClose: () => void
}

function DeleteAnnouncement({ announcement, onClose }: DeleteProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return (
    <ConfirmDanger
      key={announcement?.id ?? 'none'}
      opened={announcement !== undefined}
      onClose={onClose}
      title={t('announcements.deleteTitle')}
      text={announcement?.text ?? ''}
      confirmLabel={t('announcements.delete')}
      onConfirm={async () => {
        if (!announcement) return
        await client.announcement.delete({ id: announcement.id })
        notifySuccess(t('announcements.deleted'))
        await reread(cache, api.announcement.key())
      }}
    />
  )
}

function columns(t: TFunction): ListColumn<Announcement>[] {
  return [
    {
      key: 'text',
      title: t('announcements.text'),
      width: 240,
      render: ({ text }) => (text.length > 120 ? `${text.slice(0, 119)}…` : text),
      csv: ({ text }) => text,
    },
    {
      key: 'type',
      title: t('announcements.type'),
      render: ({ type }) => (
        <StatusBadge
          tone={typeTones[type]}
          icon={type === 'info' ? IconBroadcast : undefined}
          label={t(`announcements.types.${type}`)}
        />
      ),
      csv: ({ type }) => t(`announcements.types.${type}`),
    },
    {
      key: 'status',
      title: t('announcements.status'),
      render: ({ status }) => (
        <StatusBadge tone={tones[status]} label={t(`announcements.statuses.${status}`)} />
      ),
      csv: ({ status }) => t(`announcements.statuses.${status}`),
    },
    {
      key: 'presentation',
      title: t('announcements.presentation'),
      hideBelow: 'md',
      render: ({ presentationType }) => t(`announcements.presentations.${presentationType}`),
      csv: ({ presentationType }) => t(`announcements.presentations.${presentationType}`),
    },
    {
      key: 'account',
      title: t('announcements.account'),
      hideBelow: 'sm',
      render: (row) => accountText(t, row),
      csv: (row) => accountText(t, row),
    },
    {
      key: 'start',
      title: t('announcements.start'),
      sortable: true,
      optional: true,
      render: ({ start }) => (start === null ? '–' : formatTime(start)),
      csv: ({ start }) => (start === null ? '' : formatTime(start)),
    },
    {
      key: 'end',
      title: t('announcements.end'),
      sortable: true,
      hideBelow: 'sm',
      render: ({ end }) => (end === null ? '–' : formatTime(end)),
      csv: ({ end }) => (end === null ? '' : formatTime(end)),
    },
    {
      key: 'dismissals',
      title: t('announcements.dismissals'),
      optional: true,
      align: 'right',
      render: ({ dismissals }) => dismissals,
      csv: ({ dismissals }) => dismissals,
    },
    {
      key: 'createdAt',
      title: t('announcements.created'),
      sortable: true,
      optional: true,
      render: ({ createdAt }) => formatTime(createdAt),
      csv: ({ createdAt }) => formatTime(createdAt),
    },
  ]
}

function accountText(t: TFunction, { accountName, includeSubTenants }: Announcement): string {
  return includeSubTenants ? t('announcements.withBelow', { account: accountName }) : accountName
}
