import type { ExportSchedule } from '@leitstand/contract/exportSchedules'
import { Button, Switch, Text } from '@mantine/core'
import {
  IconCalendarClock,
  IconCopy,
  IconHistory,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { useChange, useReread, useRun } from './queries.ts'
import { contentText, frequencyText, momentText, tones } from './texts.ts'

const ScheduleDialog = onDemand(() => import('./ScheduleDialog.tsx'))
const HistoryDrawer = onDemand(() => import('./HistoryDrawer.tsx'))

/** Export schedules; `?create=1` and `?copy=<id>` open the wizard, `?history=<id>` what became of one. */
export default function SchedulesPage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const [doomed, setDoomed] = useState<ExportSchedule>()
  const change = useChange()
  const openHistory = ({ id }: { id: number }) => update({ history: String(id) })
  const run = useRun(openHistory)
  const copy = one(search, 'copy')
  const history = one(search, 'history')
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('exportSchedules.create')}
    </Button>
  )
  const close = () => update({ create: undefined, copy: undefined, selection: undefined })
  return (
    <>
      <ListPage<ExportSchedule>
        name="export-schedules"
        title={t('screens.scheduledExports.title')}
        description={
          <>
            {t('exportSchedules.text')}{' '}
            <RouterLink to="/background-jobs?saved=all" underline="always">
              {t('exports.saved')}
            </RouterLink>
          </>
        }
        primaryAction={create}
        columns={columns(t, change)}
        query={({ offset, limit, search: text, orderBy }) =>
          api.exportSchedules.list.queryOptions({
            input: { offset, limit, search: text, order_by: orderOf(orderBy) },
          })
        }
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/scheduled-exports?history=${id}`}
        rowMenu={(schedule) => [
          {
            label: t('exportSchedules.run'),
            icon: IconPlayerPlay,
            hidden: !schedule.editable,
            onClick: () => run.mutate(schedule),
          },
          { label: t('exportSchedules.history'), icon: IconHistory, onClick: () => openHistory(schedule) },
          {
            label: t('exportSchedules.duplicate'),
            icon: IconCopy,
            onClick: () => update({ copy: String(schedule.id) }),
          },
          {
            label: t('exportSchedules.delete'),
            icon: IconTrash,
            danger: true,
            hidden: !schedule.editable,
            onClick: () => setDoomed(schedule),
          },
        ]}
        filters={[]}
        searchPlaceholder={t('exportSchedules.search')}
        defaultSort="title"
        empty={
          <EmptyState
            icon={IconCalendarClock}
            title={t('exportSchedules.empty')}
            text={t('exportSchedules.emptyText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {one(search, 'create') === '1' ? <ScheduleDialog onClose={close} /> : null}
        {copy === undefined ? null : <ScheduleDialog key={copy} copyOf={Number(copy)} onClose={close} />}
        {history === undefined ? null : (
          <HistoryDrawer key={history} id={Number(history)} onClose={() => update({ history: undefined })} />
        )}
      </Suspense>
      <DeleteSchedule schedule={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}

const orders = ['title', '-title', 'nextAt', '-nextAt'] as const

function orderOf(orderBy: string | undefined): (typeof orders)[number] {
  return orders.find((each) => each === orderBy) ?? 'title'
}

function DeleteSchedule({
  schedule,
  onClose,
}: {
  schedule: ExportSchedule | undefined
  onClose: () => void
}) {
  const { t } = useTranslation()
  const readAgain = useReread()
  return (
    <ConfirmDanger
      key={schedule?.id ?? 'none'}
      opened={schedule !== undefined}
      onClose={onClose}
      title={t('exportSchedules.deleteTitle', { title: schedule?.title ?? '' })}
      text={t('exportSchedules.deleteText')}
      confirmLabel={t('exportSchedules.delete')}
      onConfirm={async () => {
        if (!schedule) return
        await client.exportSchedules.delete({ id: schedule.id })
        notifySuccess(t('exportSchedules.deleted', { title: schedule.title }))
        await readAgain()
      }}
    />
  )
}

function columns(t: TFunction, change: ReturnType<typeof useChange>): ListColumn<ExportSchedule>[] {
  const lastText = ({ last }: ExportSchedule) => (last ? t(`exportSchedules.states.${last.state}`) : '')
  return [
    {
      key: 'title',
      title: t('exportSchedules.title'),
      sortable: true,
      render: ({ title }) => title,
      csv: ({ title }) => title,
    },
    {
      key: 'what',
      title: t('exportSchedules.what'),
      hideBelow: 'sm',
      render: (schedule) => contentText(t, schedule),
      csv: (schedule) => contentText(t, schedule),
    },
    {
      key: 'often',
      title: t('exportSchedules.howOften'),
      hideBelow: 'xs',
      render: ({ frequency }) => frequencyText(t, frequency),
      csv: ({ frequency }) => frequencyText(t, frequency),
    },
    {
      key: 'account',
      title: t('exportSchedules.account'),
      // The switch comes last and has to be seen.
      optional: true,
      render: ({ accountName }) => accountName,
      csv: ({ accountName }) => accountName,
    },
    {
      key: 'nextAt',
      title: t('exportSchedules.nextAt'),
      sortable: true,
      hideBelow: 'sm',
      card: 'fact',
      render: ({ nextAt, timeZone }) => (nextAt === null ? '–' : momentText(nextAt, timeZone, 'medium')),
      csv: ({ nextAt }) => (nextAt === null ? '' : formatTime(nextAt)),
    },
    {
      key: 'last',
      title: t('exportSchedules.last'),
      render: (schedule) => {
        const { last } = schedule
        if (last === null) return <Text c="dimmed">–</Text>
        return (
          <span title={momentText(last.dueAt, schedule.timeZone)}>
            <StatusBadge tone={tones[last.state]} label={lastText(schedule)} />
          </span>
        )
      },
      csv: lastText,
    },
    {
      key: 'active',
      title: t('exportSchedules.active'),
      render: (schedule) => (
        <Switch
          aria-label={t('exportSchedules.activeOf', { title: schedule.title })}
          checked={schedule.active}
          disabled={!schedule.editable || change.isPending}
          onChange={(event) => change.mutate({ ...schedule, active: event.currentTarget.checked })}
        />
      ),
      csv: ({ active }) => t(active ? 'common.yes' : 'common.no'),
    },
  ]
}
