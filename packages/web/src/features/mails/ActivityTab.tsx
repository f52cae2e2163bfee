import type { contract } from '@leitstand/contract'
import { Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { IconActivityHeartbeat } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { JsonView } from '../../ui/JsonView.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { activityInput, activityPath, activitySubjects, sinceHours } from './activity.ts'
import classes from './mails.module.css'

type Entry = InferContractRouterOutputs<typeof contract>['activityLog']['list']['items'][number]

/** Who changed what, newest first; an entry opens to what it was before and after. */
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
        rowKey={(row) => row.id}
        filters={[
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
            key: 'since',
            label: t('systemLogs.field.since'),
            multiple: false,
            options: sinceHours.map((hours) => ({
              value: String(hours),
              label: t(`systemLogs.since.${hours}`),
            })),
          },
        ]}
        searchPlaceholder={t('systemLogs.searchActivity')}
        withAccounts
        empty={<EmptyState icon={IconActivityHeartbeat} title={t('systemLogs.noActivity')} />}
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

/** Who did it; who really did it when somebody acted as somebody else. */
function whoText(t: TFunction, { userName, impersonatorName }: Entry): string {
  if (impersonatorName) return t('systemLogs.actsAs', { impersonator: impersonatorName, name: userName })
  return userName || t('systemLogs.system')
}

function columns(t: TFunction, onOpen: (entry: Entry) => void): ListColumn<Entry>[] {
  return [
    {
      key: 'at',
      title: t('systemLogs.field.at'),
      width: 180,
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
      render: (row) => (
        <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(row)}>
          {actionText(t, row.action)}
        </UnstyledButton>
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
      render: (row) => <ObjectLink entry={row} />,
      csv: (row) => row.objectTitle,
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
  const path = activityPath(entry)
  const title = entry.objectTitle || (entry.objectId === null ? '–' : `#${entry.objectId}`)
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
        <JsonView value={entry.changes} openLevels={4} />
      )}
    </Stack>
  )
}
