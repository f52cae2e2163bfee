import type { BackgroundJob, JobRow } from '@leitstand/contract/jobs'
import { Button, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { StatusBadge, type Tone } from '../../ui/Badges.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { download } from '../../ui/list/csv.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { notifyError } from '../../ui/notify.ts'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { faultText } from './faults.ts'

const states = ['failed', 'done', 'unchanged', 'waiting'] as const
const tones: Record<JobRow['state'], Tone> = {
  waiting: 'unknown',
  done: 'ok',
  unchanged: 'ok',
  failed: 'error',
}

/** What came of each device of a bulk job. */
export function JobRows({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const columns: ListColumn<JobRow>[] = [
    { key: 'row', title: t('jobs.rows.row'), render: (row) => row.row, width: 80 },
    {
      key: 'title',
      title: t('jobs.rows.device'),
      render: (row) =>
        row.objectId === null ? (
          row.title
        ) : (
          <RouterLink to={`/virtual-devices/${row.objectId}`}>{row.title}</RouterLink>
        ),
    },
    {
      key: 'state',
      title: t('jobs.rows.state'),
      render: (row) => (
        <>
          <StatusBadge tone={tones[row.state]} label={t(`jobs.rows.states.${row.state}`)} />
          <Faults faults={row.faults} />
        </>
      ),
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
      csv={() => <FailedCsv job={job} />}
      empty={<EmptyState title={t('jobs.rows.none')} compact />}
    />
  )
}

function Faults({ faults }: Pick<JobRow, 'faults'>) {
  const { t } = useTranslation()
  return faults.map((fault) => (
    <Text key={`${fault.code} ${fault.column}`} size="sm" style={{ whiteSpace: 'normal' }}>
      {faultText(t, fault)}
    </Text>
  ))
}

/** The failed rows as a file to be mended and uploaded again. */
function FailedCsv({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const { body } = await client.job.failedCsv({ id: job.id, language: currentLanguage() })
      if (body instanceof Blob) download(`${t('jobs.rows.fileName', { id: job.id })}.csv`, body)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconDownload} size={16} />}
      loading={busy}
      disabled={!job.result.failed}
      onClick={() => void save()}
    >
      {t('jobs.rows.failedCsv')}
    </Button>
  )
}
