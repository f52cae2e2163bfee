import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Text } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { accountPath } from '../accounts/index.ts'
import { JobBadge } from './JobProgress.tsx'
import classes from './jobs.module.css'

type Job = BackgroundJob & { accountName: string }

const pollMs = 15_000

/** Background jobs that failed, or some of whose rows did, of all accounts the user manages. */
export default function FaultyJobs() {
  const { t } = useTranslation()
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" maw={640}>
        {t('faultyJobs.text')}
      </Text>
      <ListTable<Job>
        name="faulty-jobs"
        columns={columns(t)}
        query={({ offset, limit, search }) => ({
          ...api.job.list.queryOptions({ input: { offset, limit, search, faulty: true, managed: true } }),
          refetchInterval: pollMs,
        })}
        rowKey={(job) => job.id}
        rowHref={(job) => `/background-jobs?job=${job.id}`}
        searchPlaceholder={t('faultyJobs.search')}
        empty={<EmptyState icon={IconChecks} title={t('faultyJobs.none')} text={t('faultyJobs.noneText')} />}
      />
    </>
  )
}

const errorText = (t: TFunction, { error }: Job) =>
  error === null ? '' : t(`errors.${error.code}`, { defaultValue: error.message })

export function columns(t: TFunction): ListColumn<Job>[] {
  return [
    {
      key: 'title',
      title: t('jobs.field.title'),
      card: 'title',
      render: (job) => (
        <>
          {job.title}
          {job.error === null ? null : (
            <Text size="xs" c="dimmed">
              {errorText(t, job)}
            </Text>
          )}
          <span className={classes.small}>
            <JobBadge job={job} />
            <span>{job.accountName}</span>
            <span>{formatTime(job.stoppedAt ?? job.createdAt)}</span>
          </span>
        </>
      ),
      csv: (job) => job.title,
    },
    {
      key: 'state',
      title: t('jobs.field.state'),
      hideBelow: 'xs',
      render: (job) => <JobBadge job={job} />,
      csv: (job) => [t(`jobs.state.${job.state}`), errorText(t, job)].filter(Boolean).join(': '),
    },
    {
      key: 'type',
      title: t('jobs.field.type'),
      hideBelow: 'md',
      render: (job) => t(`jobs.type.${job.type}`),
      csv: (job) => t(`jobs.type.${job.type}`),
    },
    {
      key: 'account',
      title: t('faultyJobs.account'),
      hideBelow: 'sm',
      render: (job) => <RouterLink to={accountPath(job.accountId)}>{job.accountName}</RouterLink>,
      csv: (job) => job.accountName,
    },
    {
      key: 'user',
      title: t('jobs.field.user'),
      hideBelow: 'md',
      render: (job) => job.user,
      csv: (job) => job.user,
    },
    {
      key: 'stoppedAt',
      title: t('jobs.field.stoppedAt'),
      hideBelow: 'sm',
      render: (job) => formatTime(job.stoppedAt ?? job.createdAt),
      csv: (job) => job.stoppedAt,
    },
  ]
}
