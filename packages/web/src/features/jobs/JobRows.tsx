import type { BackgroundJob, JobRow } from '@leitstand/contract/jobs'
import { jobKinds } from '@leitstand/contract/jobs/kinds'
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { faultText } from './faults.ts'
import classes from './jobs.module.css'

const states = ['failed', 'done', 'unchanged', 'waiting'] as const
const tones: Record<JobRow['state'], Tone> = {
  waiting: 'unknown',
  done: 'ok',
  unchanged: 'ok',
  failed: 'error',
}

/** Results per device or twin of a bulk job. */
export function JobRows({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const ofTwins = 'ofTwins' in jobKinds[job.type]
  const path = ofTwins ? '/digitaltwin-mgmt' : '/virtual-devices'
  const columns: ListColumn<JobRow>[] = [
    {
      key: 'title',
      title: t(ofTwins ? 'jobs.rows.twin' : 'jobs.rows.device'),
      render: (row) => (
        <>
          {row.objectId === null ? (
            row.title
          ) : (
            <RouterLink to={`${path}/${row.objectId}`}>{row.title}</RouterLink>
          )}
          <span className={classes.small}>
            <Text span size="sm" c="dimmed">
              {t('jobs.rows.row')} {row.row}
            </Text>
            <RowState row={row} />
          </span>
        </>
      ),
    },
    { key: 'row', title: t('jobs.rows.row'), render: (row) => row.row, width: 80, hideBelow: 'xs' },
    {
      key: 'state',
      title: t('jobs.rows.state'),
      render: (row) => <RowState row={row} />,
      hideBelow: 'xs',
    },
  ]
  return (
    <ListTable<JobRow>
      name="job-rows"
      columns={columns}
      withSearch={false}
      query={({ offset, limit, filters }) =>
        api.job.rows.queryOptions({
          input: {
            id: job.id,
            offset,
            limit,
            states: states.filter((each) => filters.result?.includes(each)),
          },
        })
      }
      rowKey={(row) => row.row}
      filters={[
        {
          key: 'result',
          label: t('jobs.rows.state'),
          options: states.map((state) => ({ value: state, label: t(`jobs.rows.states.${state}`) })),
        },
      ]}
      download={() => null}
      empty={<EmptyState title={t('jobs.rows.none')} compact />}
    />
  )
}

function RowState({ row }: { row: JobRow }) {
  const { t } = useTranslation()
  return (
    <>
      <StatusBadge tone={tones[row.state]} label={t(`jobs.rows.states.${row.state}`)} />
      {row.faults.map((fault) => (
        <Text key={`${fault.code} ${fault.column}`} span size="sm" className={classes.fault ?? ''}>
          {faultText(t, fault)}
        </Text>
      ))}
    </>
  )
}
