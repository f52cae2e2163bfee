import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Text } from '@mantine/core'
import { IconArrowLeft, IconListDetails } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { JobPanel } from './JobPanel.tsx'
import { JobBadge, JobBar } from './JobProgress.tsx'
import { JobRows } from './JobRows.tsx'
import classes from './jobs.module.css'
import { type JobTab, jobTabs, kindsOf } from './kinds.ts'
import { hasRows, isOpen, percentOf } from './progress.ts'
import { jobListActions } from './slots.ts'

const emptyTexts: Record<JobTab, string> = {
  hub: 'jobs.emptyHub',
  exports: 'jobs.emptyExports',
  devices: 'jobs.emptyDevices',
  twins: 'jobs.emptyTwins',
  imports: 'jobs.emptyImports',
}

const listPollMs = 3000
const states = ['created', 'inprogress', 'postprocessing', 'done', 'canceled', 'failed', 'deleted'] as const

/** Background jobs by kind; `?job=12` shows one of them. */
export default function JobsPage() {
  const [search] = useUrlSearch()
  const id = Number(one(search, 'job'))
  return Number.isInteger(id) && id > 0 ? <OneJob id={id} /> : <AllJobs />
}

function AllJobs() {
  const { t } = useTranslation()
  return (
    <DetailPage
      icon={IconListDetails}
      title={t('screens.backgroundJobs.title')}
      actions={<SlotParts slot={jobListActions} props={{}} />}
      tabs={jobTabs.map((tab) => ({
        key: tab,
        label: t(`jobs.tab.${tab}`),
        content: kindsOf(tab).length > 0 ? <JobList tab={tab} /> : <NoJobs tab={tab} />,
      }))}
    />
  )
}

function NoJobs({ tab }: { tab: JobTab }) {
  const { t } = useTranslation()
  return <EmptyState icon={IconListDetails} title={t('jobs.empty')} text={t(emptyTexts[tab])} />
}

function JobList({ tab }: { tab: JobTab }) {
  const { t } = useTranslation()
  const types = kindsOf(tab)
  const kinds = types.length > 1
  return (
    <ListTable<BackgroundJob>
      name={`jobs-${tab}`}
      columns={columnsOf(t)}
      withSearch={false}
      rowsPerPage={10}
      query={({ offset, limit, filters }) => ({
        ...api.job.list.queryOptions({
          input: {
            offset,
            limit,
            types: types.filter((type) => !filters.type || filters.type.includes(type)),
            states: filters.state && states.filter((state) => filters.state?.includes(state)),
          },
        }),
        refetchInterval: listPollMs,
      })}
      rowKey={(job) => job.id}
      rowHref={(job) => `/background-jobs?job=${job.id}`}
      filters={[
        {
          key: 'state',
          label: t('jobs.field.state'),
          options: states.map((state) => ({ value: state, label: t(`jobs.state.${state}`) })),
        },
        ...(kinds
          ? [
              {
                key: 'type',
                label: t('jobs.field.type'),
                options: types.map((type) => ({ value: type, label: t(`jobs.type.${type}`) })),
              },
            ]
          : []),
      ]}
      empty={<NoJobs tab={tab} />}
    />
  )
}

export function columnsOf(t: ReturnType<typeof useTranslation>['t']): ListColumn<BackgroundJob>[] {
  return [
    {
      key: 'title',
      title: t('jobs.field.title'),
      render: (job) => (
        <>
          {job.title}
          <span className={classes.small}>
            <JobBadge job={job} />
            <RelativeTime time={job.createdAt} />
            <Bar job={job} />
          </span>
        </>
      ),
      csv: (job) => job.title,
    },
    {
      key: 'type',
      title: t('jobs.field.type'),
      render: (job) => t(`jobs.type.${job.type}`),
      csv: (job) => t(`jobs.type.${job.type}`),
      hideBelow: 'sm',
    },
    {
      key: 'state',
      title: t('jobs.field.state'),
      render: (job) => <JobBadge job={job} />,
      hideBelow: 'xs',
      csv: (job) => t(`jobs.state.${job.state}`),
    },
    {
      key: 'progress',
      title: t('jobs.field.progress'),
      render: (job) => <Bar job={job} />,
      csv: (job) => percentOf(job),
      hideBelow: 'xs',
    },
    {
      key: 'user',
      title: t('jobs.field.user'),
      render: (job) => job.user,
      csv: (job) => job.user,
      hideBelow: 'md',
    },
    {
      key: 'createdAt',
      title: t('jobs.field.createdAt'),
      render: (job) => <RelativeTime time={job.createdAt} />,
      csv: (job) => job.createdAt,
      hideBelow: 'sm',
    },
    {
      key: 'stoppedAt',
      title: t('jobs.field.stoppedAt'),
      render: (job) => (job.stoppedAt === null ? null : <RelativeTime time={job.stoppedAt} />),
      csv: (job) => job.stoppedAt,
      optional: true,
    },
  ]
}

function Bar({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  return (
    <span className={classes.progress}>
      <Text span size="xs" c="dimmed" className="tabular">
        {t('jobs.doneOf', { done: formatNumber(job.done, 0), total: formatNumber(job.total, 0) })}
      </Text>
      <JobBar job={job} size="sm" />
    </span>
  )
}

const pollMs = 1000

function OneJob({ id }: { id: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [, update] = useUrlSearch()
  const job = useQuery(
    api.job.get.queryOptions({
      input: { id },
      refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollMs : false),
    }),
  )
  return (
    <DetailPage
      icon={IconListDetails}
      title={job.data?.title}
      error={job.error}
      onRetry={() => void job.refetch()}
      listPath="/background-jobs"
      overline={
        <RouterLink to="/background-jobs">
          <Icon of={IconArrowLeft} size={13} /> {t('jobs.back')}
        </RouterLink>
      }
    >
      <JobPanel
        id={id}
        onDelete={() => {
          notifySuccess(t('jobs.deleted'))
          update({ job: undefined })
        }}
        onChange={() => void cache.invalidateQueries({ queryKey: api.job.rows.key({ input: { id } }) })}
      />
      {job.data && hasRows(job.data) ? (
        <div style={{ marginTop: 20 }}>
          <JobRows job={job.data} />
        </div>
      ) : null}
    </DetailPage>
  )
}
