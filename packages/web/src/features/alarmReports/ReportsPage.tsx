import type { AlarmReport } from '@leitstand/contract/alarmReports'
import { Button } from '@mantine/core'
import {
  IconCopy,
  IconHistory,
  IconMailForward,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconReport,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime, localeTag } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { weekdaysText } from '../rules/pure.ts'
import { storedInput, useReportTest, useReread } from './queries.ts'
import { tones } from './tones.ts'

const ReportDialog = onDemand(() => import('./ReportDialog.tsx'))
const HistoryDrawer = onDemand(() => import('./HistoryDrawer.tsx'))

/** Alarm reports; `?create=1`, `?edit=<id>` and `?copy=<id>` open the wizard. */
export default function ReportsPage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const [doomed, setDoomed] = useState<AlarmReport>()
  const [looked, setLooked] = useState<AlarmReport>()
  const test = useReportTest()
  const toggle = useToggle()
  const edited = one(search, 'edit') ?? one(search, 'copy')
  const create = (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
      {t('alarmReports.create')}
    </Button>
  )
  const close = () => update({ create: undefined, edit: undefined, copy: undefined, group: undefined })
  return (
    <>
      <ListPage<AlarmReport>
        name="alarm-reports"
        title={t('screens.alarmReports.title')}
        description={t('alarmReports.text')}
        primaryAction={create}
        columns={columns(t)}
        query={({ offset, limit, search: text, orderBy }) =>
          api.alarmReports.list.queryOptions({
            input: { offset, limit, search: text, order_by: orderOf(orderBy) },
          })
        }
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/alarm-log-reports?edit=${id}`}
        rowMenu={(report) => {
          const input = storedInput(report)
          return [
            {
              label: t('alarmReports.edit'),
              icon: IconPencil,
              onClick: () => update({ edit: String(report.id) }),
            },
            { label: t('alarmReports.history'), icon: IconHistory, onClick: () => setLooked(report) },
            {
              label: t('alarmReports.test'),
              icon: IconMailForward,
              hidden: input === null,
              onClick: () => input && test.mutate(input),
            },
            {
              label: t('alarmReports.duplicate'),
              icon: IconCopy,
              onClick: () => update({ copy: String(report.id) }),
            },
            {
              label: t(report.active ? 'alarmReports.pause' : 'alarmReports.resume'),
              icon: report.active ? IconPlayerPause : IconPlayerPlay,
              hidden: input === null,
              onClick: () => toggle.mutate(report),
            },
            {
              label: t('alarmReports.delete'),
              icon: IconTrash,
              danger: true,
              onClick: () => setDoomed(report),
            },
          ]
        }}
        filters={[]}
        searchPlaceholder={t('alarmReports.search')}
        defaultSort="title"
        empty={
          <EmptyState
            icon={IconReport}
            title={t('alarmReports.empty')}
            text={t('alarmReports.emptyText')}
            action={create}
          />
        }
      />
      <Suspense fallback={null}>
        {one(search, 'create') === '1' ? <ReportDialog onClose={close} /> : null}
        {edited === undefined ? null : (
          <ReportDialog
            key={edited}
            of={Number(edited)}
            isCopy={one(search, 'copy') !== undefined}
            onClose={close}
          />
        )}
        {looked ? <HistoryDrawer report={looked} onClose={() => setLooked(undefined)} /> : null}
      </Suspense>
      <DeleteReport report={doomed} onClose={() => setDoomed(undefined)} />
    </>
  )
}

const orders = ['title', '-title', 'lastSentAt', '-lastSentAt'] as const

function orderOf(orderBy: string | undefined): (typeof orders)[number] {
  return orders.find((each) => each === orderBy) ?? 'title'
}

function useToggle() {
  const { t } = useTranslation()
  const readAgain = useReread()
  return useMutation({
    mutationFn: async (report: AlarmReport) => {
      const input = storedInput(report)
      if (input === null) return report
      const { accountId: _, ...fields } = input
      const { id, version } = report
      return client.alarmReports.update({ ...fields, id, version, active: !report.active })
    },
    onSuccess: ({ active, title }) =>
      notifySuccess(t(active ? 'alarmReports.resumed' : 'alarmReports.paused', { title })),
    onError: (error) => notifyError(error),
    onSettled: readAgain,
  })
}

function DeleteReport({ report, onClose }: { report: AlarmReport | undefined; onClose: () => void }) {
  const { t } = useTranslation()
  const readAgain = useReread()
  return (
    <ConfirmDanger
      key={report?.id ?? 'none'}
      opened={report !== undefined}
      onClose={onClose}
      title={t('alarmReports.deleteTitle', { title: report?.title ?? '' })}
      text={t('alarmReports.deleteText')}
      confirmLabel={t('alarmReports.delete')}
      onConfirm={async () => {
        if (!report) return
        await client.alarmReports.delete({ id: report.id })
        notifySuccess(t('alarmReports.deleted', { title: report.title }))
        await readAgain()
      }}
    />
  )
}

function columns(t: TFunction): ListColumn<AlarmReport>[] {
  return [
    {
      key: 'title',
      title: t('alarmReports.title'),
      sortable: true,
      render: ({ title }) => title,
      csv: ({ title }) => title,
    },
    {
      key: 'group',
      title: t('alarmReports.group'),
      hideBelow: 'sm',
      render: ({ groupId, groupTitle }) =>
        groupId === null ? (
          <StatusBadge tone="error" label={t('alarmReports.groupGone')} />
        ) : (
          <RouterLink to={`/virtual-device-groups/${groupId}`}>{groupTitle}</RouterLink>
        ),
      csv: ({ groupTitle }) => groupTitle,
    },
    {
      key: 'account',
      title: t('alarmReports.account'),
      hideBelow: 'md',
      render: ({ accountName }) => accountName,
      csv: ({ accountName }) => accountName,
    },
    {
      key: 'type',
      title: t('alarmReports.type'),
      hideBelow: 'md',
      render: ({ type }) => t(`alarmReports.types.${type}`),
      csv: ({ type }) => t(`alarmReports.types.${type}`),
    },
    {
      key: 'when',
      title: t('alarmReports.when'),
      hideBelow: 'sm',
      render: (report) => whenText(t, report),
      csv: (report) => whenText(t, report),
    },
    {
      key: 'lastSentAt',
      title: t('alarmReports.lastSent'),
      sortable: true,
      hideBelow: 'xs',
      render: ({ lastSentAt }) => (lastSentAt === null ? '–' : <RelativeTime time={lastSentAt} />),
      csv: ({ lastSentAt }) => (lastSentAt === null ? '' : formatTime(lastSentAt)),
    },
    {
      key: 'state',
      title: t('alarmReports.state'),
      render: (report) => {
        const { tone, key } = stateOf(report)
        return <StatusBadge tone={tone} label={t(`alarmReports.states.${key}`)} />
      },
      csv: (report) => t(`alarmReports.states.${stateOf(report).key}`),
    },
  ]
}

function whenText(t: TFunction, { weekdays, active }: AlarmReport): string {
  if (!active) return t('alarmReports.never')
  return weekdays.length === 7 ? t('alarmReports.daily') : weekdaysText(weekdays, localeTag())
}

type StateKey = 'off' | 'new' | NonNullable<AlarmReport['lastState']>

/** What became of it the last time, or that nothing is to come. */
function stateOf({ active, lastState }: AlarmReport): { tone: Tone; key: StateKey } {
  if (!active) return { tone: 'unknown', key: 'off' }
  if (lastState === null) return { tone: 'unknown', key: 'new' }
  return { tone: tones[lastState], key: lastState }
}
