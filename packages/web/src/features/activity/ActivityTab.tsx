import type { contract } from '@leitstand/contract'
import { Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { IconActivityHeartbeat } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { useNow } from '../../lib/time.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './activity.module.css'
import {
  activityActions,
  activityFilter,
  activityInput,
  activityPath,
  activitySubjects,
  sinceHours,
} from './activity.ts'
import { ChangeList } from './ChangeList.tsx'
import { titleText, whoText } from './entryText.ts'

type Entry = InferContractRouterOutputs<typeof contract>['activityLog']['list']['items'][number]

/** The activity log, newest first; an entry expands to its values before and after. */
export function ActivityTab() {
  const { t } = useTranslation()
  const nowMs = useNow()
  const [open, setOpen] = useState<Entry | null>(null)
  return (
    <>
      <ListTable<Entry>
        name="activity"
        columns={columns(t, setOpen)}
        query={(params) => api.activityLog.list.queryOptions({ input: activityInput(params, nowMs) })}
        searchPlaceholder={t('systemLogs.searchActivity')}
        withAccounts
        empty={<EmptyState icon={IconActivityHeartbeat} title={t('systemLogs.noActivity')} />}
        rowKey={(row) => row.id}
        written={async (params, format) => ({
          name: t('systemLogs.fileName'),
          ...(await client.activityLog.exportFile({
            ...activityFilter(params, nowMs),
            format,
            language: currentLanguage(),
          })),
        })}
        filters={[
          {
            key: 'user',
            label: t('systemLogs.field.user'),
            load: findUsers,
            labelOf: nameUser,
          },
          {
            key: 'subject',
            label: t('systemLogs.field.subject'),
            multiple: false,
            options: activitySubjects.map((subject) => ({
              value: subject,
              label: t(`systemLogs.subject.${subject}`),
            })),
          },
          {
            key: 'action',
            label: t('systemLogs.field.what'),
            multiple: false,
            options: activityActions.map((action) => ({
              value: action,
              label: t(`systemLogs.action.${action}`),
            })),
          },
          {
            key: 'since',
            label: t('systemLogs.field.since'),
            multiple: false,
            options: sinceHours.map((hours) => ({
              value: String(hours),
              label: t(`systemLogs.since.${hours}`),
            })),
          },
          {
            key: 'from',
            label: t('systemLogs.field.from'),
            multiple: false,
            text: { placeholder: t('systemLogs.day'), description: t('systemLogs.dayHint') },
          },
          {
            key: 'to',
            label: t('systemLogs.field.to'),
            multiple: false,
            text: { placeholder: t('systemLogs.day'), description: t('systemLogs.dayHint') },
          },
          {
            key: 'object',
            label: t('systemLogs.field.objectId'),
            multiple: false,
            text: { description: t('systemLogs.objectIdHint') },
          },
        ]}
      />
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="right"
        size="lg"
        title={t('systemLogs.entry')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open ? <Details entry={open} /> : null}
      </Drawer>
    </>
  )
}

const actionText = (t: TFunction, action: string) =>
  t(`systemLogs.action.${action}`, { defaultValue: action })
const subjectText = (t: TFunction, subject: string) =>
  t(`systemLogs.subject.${subject}`, { defaultValue: subject })

export function columns(t: TFunction, onOpen: (entry: Entry) => void): ListColumn<Entry>[] {
  return [
    {
      key: 'at',
      title: t('systemLogs.field.at'),
      width: 205,
      render: (row) => <span className="tabular">{formatTime(row.at)}</span>,
      csv: (row) => row.at,
    },
    {
      key: 'user',
      title: t('systemLogs.field.user'),
      hideBelow: 'xs',
      render: (row) => whoText(t, row),
      csv: (row) => whoText(t, row),
    },
    {
      key: 'what',
      title: t('systemLogs.field.what'),
      card: 'title',
      render: (row) => (
        <>
          <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(row)}>
            {actionText(t, row.action)}
          </UnstyledButton>
          <Text hiddenFrom="xs" size="xs" c="dimmed" className={classes.about ?? ''}>
            {subjectText(t, row.subject)}: {titleText(t, row)}
            <br />
            {whoText(t, row)}
          </Text>
        </>
      ),
      csv: (row) => actionText(t, row.action),
    },
    {
      key: 'subject',
      title: t('systemLogs.field.subject'),
      hideBelow: 'sm',
      render: (row) => subjectText(t, row.subject),
      csv: (row) => subjectText(t, row.subject),
    },
    {
      key: 'object',
      title: t('systemLogs.field.object'),
      hideBelow: 'xs',
      render: (row) => <ObjectLink entry={row} />,
      csv: (row) => titleText(t, row),
    },
    {
      key: 'ip',
      title: t('systemLogs.field.ip'),
      optional: true,
      render: (row) => row.ip || '–',
      csv: (row) => row.ip,
    },
  ]
}

function ObjectLink({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  const path = activityPath(entry)
  const title = titleText(t, entry)
  return path === null ? <span>{title}</span> : <RouterLink to={path}>{title}</RouterLink>
}

function Details({ entry }: { entry: Entry }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('systemLogs.field.at')}>{formatTime(entry.at)}</Fact>
        <Fact label={t('systemLogs.field.user')}>{whoText(t, entry)}</Fact>
        <Fact label={t('systemLogs.field.ip')}>{entry.ip || '–'}</Fact>
      </Group>
      <Fact label={`${subjectText(t, entry.subject)} – ${actionText(t, entry.action)}`}>
        <ObjectLink entry={entry} />
      </Fact>
      {entry.changes === null ? (
        <Text size="sm" c="dimmed">
          {t('systemLogs.noChanges')}
        </Text>
      ) : (
        <ChangeList action={entry.action} changes={entry.changes} />
      )}
    </Stack>
  )
}

async function findUsers(search: string) {
  const { items } = await client.user.list({ search, limit: 20 })
  return items.map((user) => ({ value: String(user.id), label: user.username }))
}

async function nameUser(id: string): Promise<string> {
  return (await client.user.get({ id: Number(id) })).username
}
