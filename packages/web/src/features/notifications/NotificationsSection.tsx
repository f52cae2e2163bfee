import type { AlarmNotification } from '@leitstand/contract/alarmNotifications'
import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { IconBellPlus, IconEdit, IconSend, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { NotificationDialog } from './NotificationDialog.tsx'

/** As many as a user can have. */
const max = 20

/** Notifications of the user about alarms, in the profile. */
export default function NotificationsSection() {
  const { t } = useTranslation()
  const [editing, setEditing] = useState<AlarmNotification | 'new' | null>(null)
  const list = useQuery(api.alarmNotifications.list.queryOptions({ input: { limit: max } }))
  const items = list.data?.items ?? []
  return (
    <Section title={t('notifications.heading')} description={t('notifications.text')}>
      <Stack gap="md">
        {list.isLoadingError ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
        ) : null}
        {list.isPending ? <Loading lines={2} /> : null}
        {list.data && items.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('notifications.none')}
          </Text>
        ) : null}
        {items.map((notification) => (
          <Entry key={notification.id} notification={notification} onEdit={() => setEditing(notification)} />
        ))}
        {items.length < max ? (
          <Button
            variant="default"
            style={{ alignSelf: 'start' }}
            leftSection={<IconBellPlus size={16} aria-hidden />}
            onClick={() => setEditing('new')}
          >
            {t('notifications.create')}
          </Button>
        ) : null}
      </Stack>
      {editing === null ? null : (
        <NotificationDialog editing={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Section>
  )
}

function Entry({ notification, onEdit }: { notification: AlarmNotification; onEdit: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const onSettled = () => reread(cache, api.alarmNotifications.key())
  const change = useMutation({
    mutationFn: (active: boolean) => {
      const {
        connectorName: _,
        twinTitle: __,
        timeZone: ___,
        lastSentAt: ____,
        groupTitle: _____,
        ...fields
      } = notification
      return client.alarmNotifications.update({ ...fields, active })
    },
    onError: (error) => notifyError(error),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => client.alarmNotifications.delete({ id: notification.id }),
    onSuccess: () => notifySuccess(t('notifications.deleted', { title: notification.title })),
    onError: (error) => notifyError(error),
    onSettled,
  })
  const test = useMutation({
    mutationFn: () => client.alarmNotifications.test({ id: notification.id }),
    onSuccess: () => notifySuccess(t('notifications.tested')),
    onError: (error) => notifyError(error),
    onSettled,
  })
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <Switch
        label={notification.title}
        description={useSummary(notification)}
        checked={notification.active}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Group gap={8} wrap="nowrap">
        {notification.lastSentAt === null ? null : (
          <Text size="xs" c="dimmed" visibleFrom="xs">
            {t('notifications.lastSent')} <RelativeTime time={notification.lastSentAt} />
          </Text>
        )}
        <ActionMenu
          label={t('notifications.actions', { title: notification.title })}
          actions={[
            { label: t('common.edit'), icon: IconEdit, onClick: onEdit },
            { label: t('notifications.test'), icon: IconSend, onClick: () => test.mutate() },
            {
              label: t('notifications.delete'),
              icon: IconTrash,
              danger: true,
              onClick: () => remove.mutate(),
            },
          ]}
        />
      </Group>
    </Group>
  )
}

/** A notification in words. */
function useSummary(notification: AlarmNotification): string {
  const { t } = useTranslation()
  const { channel, connectorName, errorsOnly, categories, sources, twinTitle, groupTitle, digestAt, quiet } =
    notification
  return [
    channel === 'webhook' && connectorName !== null ? connectorName : t(`notifications.channels.${channel}`),
    t(`notifications.severities.${errorsOnly ? 'error' : 'warning'}`),
    ...categories.map((category) => t(`alarms.categories.${category}`)),
    ...sources.map((source) => t(`alarms.sources.${source}`)),
    ...(twinTitle === null ? [] : [t('notifications.in', { title: twinTitle })]),
    ...(groupTitle === null ? [] : [t('notifications.inGroup', { title: groupTitle })]),
    digestAt === null ? t('notifications.atOnce') : t('notifications.daily', { time: digestAt }),
    ...(quiet === null ? [] : [t('notifications.quietTimes', quiet)]),
  ].join(' · ')
}
