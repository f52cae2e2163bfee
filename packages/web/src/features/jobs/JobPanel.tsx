import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Button, CloseButton, Group, Text } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatBytes, formatDate, formatNumber } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { FailedCsv } from './FailedCsv.tsx'
import { faultText } from './faults.ts'
import { JobBadge, JobBar } from './JobProgress.tsx'
import classes from './jobs.module.css'
import { countsOf, failedOf, failuresOf, hasRows, isOpen, resumption } from './progress.ts'
import { jobActions } from './slots.ts'

const pollMs = 1000

interface JobPanelProps {
  id: number
  /** Called on progress and at the end, to reload the data the job changes. */
  onChange?: () => void
  onDismiss?: () => void
  /** Offers deletion of a waiting job; called after it. */
  onDelete?: () => void
}

/** A background job: progress, results, and buttons to stop or resume it. */
export function JobPanel({ id, onChange, onDismiss, onDelete }: JobPanelProps) {
  const { t } = useTranslation()
  const job = useQuery(
    api.job.get.queryOptions({
      input: { id },
      refetchInterval: ({ state }) => (state.data && !isOpen(state.data) ? false : pollMs),
    }),
  )
  useChange(job.data, onChange)
  if (job.isError && !job.data)
    return <ErrorState error={job.error} onRetry={() => void job.refetch()} compact />
  if (!job.data) return <Loading lines={2} />
  return (
    <section className={classes.panel} aria-label={t(`jobs.type.${job.data.type}`)}>
      <Head job={job.data} onDismiss={onDismiss} onDelete={onDelete} />
      <div className={classes.bar}>
        <JobBar job={job.data} />
      </div>
      <Outcome job={job.data} />
    </section>
  )
}

interface HeadProps {
  job: BackgroundJob
  onDismiss: (() => void) | undefined
  onDelete: (() => void) | undefined
}

function Head({ job, onDismiss, onDelete }: HeadProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const after = {
    onError: (error: unknown) => notifyError(error),
    onSettled: () => cache.invalidateQueries({ queryKey: api.job.key() }),
  }
  const cancel = useMutation({ mutationFn: () => client.job.cancel({ id: job.id }), ...after })
  const remove = useMutation({
    mutationFn: () => client.job.delete({ id: job.id }),
    onError: after.onError,
    onSuccess: async () => {
      onDelete?.()
      await cache.invalidateQueries({ queryKey: api.job.list.key() })
    },
  })
  const resume = resumption(job)
  const retry = useMutation({ mutationFn: () => client.job.retry({ id: job.id }), ...after })
  return (
    <Group justify="space-between" gap="sm" align="flex-start">
      <div>
        <Group gap={10}>
          <Text fw={600}>{t(`jobs.type.${job.type}`)}</Text>
          <JobBadge job={job} />
        </Group>
        <Text size="sm" c="dimmed" className="tabular">
          {t('jobs.doneOf', { done: formatNumber(job.done, 0), total: formatNumber(job.total, 0) })}
          {' · '}
          {job.user} · <RelativeTime time={job.stoppedAt ?? job.startedAt ?? job.createdAt} />
        </Text>
      </div>
      <Group gap={6}>
        {isOpen(job) ? (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconPlayerStop} size={14} />}
            loading={cancel.isPending}
            disabled={job.cancelRequested}
            onClick={() => cancel.mutate()}
          >
            {t('jobs.cancel')}
          </Button>
        ) : null}
        {job.state === 'created' && onDelete ? (
          <Button
            variant="light"
            color="red"
            size="compact-md"
            leftSection={<Icon of={IconTrash} size={14} />}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {t('jobs.delete')}
          </Button>
        ) : null}
        {resume === null || (resume === 'retryFailed' && !hasRows(job)) ? null : (
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconPlayerPlay} size={14} />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {t(`jobs.${resume}`)}
          </Button>
        )}
        {hasRows(job) && failedOf(job) > 0 ? <FailedCsv job={job} /> : null}
        <SlotParts slot={jobActions} props={{ job }} />
        {!isOpen(job) && onDismiss ? (
          <CloseButton aria-label={t('jobs.dismiss')} onClick={onDismiss} />
        ) : null}
      </Group>
    </Group>
  )
}

function Outcome({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const counts = countsOf(job)
  const failures = failuresOf(job)
  return (
    <div aria-live="polite">
      {job.file ? <FileFacts file={job.file} /> : null}
      {job.file ? null : counts.length > 0 ? (
        <dl className={classes.counts}>
          {counts.map(({ key, count }) => (
            <div key={key} data-bad={key === 'failed' || undefined}>
              <dt>
                {key === 'failed' && hasRows(job) ? t('jobs.rows.states.failed') : t(`jobs.result.${key}`)}
              </dt>
              <dd className="tabular">{formatNumber(count, 0)}</dd>
            </div>
          ))}
        </dl>
      ) : job.state === 'done' ? (
        <Text size="sm" mt={8}>
          {t('jobs.nothing')}
        </Text>
      ) : null}
      {failures.length > 0 ? (
        <ul className={classes.failures}>
          {failures.map(({ code, count }) => (
            <li key={code}>
              <span className="tabular">{formatNumber(count, 0)} ×</span>{' '}
              {faultText(t, { code, column: null })}
            </li>
          ))}
        </ul>
      ) : null}
      {job.error ? (
        <Text size="sm" mt={8} c="var(--health-error)">
          {t(`errors.${job.error.code}`, { defaultValue: job.error.message })}
        </Text>
      ) : null}
    </div>
  )
}

/** What the file of an export is, and how long it is kept. */
function FileFacts({ file }: { file: NonNullable<BackgroundJob['file']> }) {
  const { t } = useTranslation()
  const facts = [
    ...(file.format === 'pdf' ? [] : [{ label: t('jobs.file.rows'), value: formatNumber(file.rows, 0) }]),
    { label: t('jobs.file.size'), value: formatBytes(file.size) },
    { label: t('jobs.file.until'), value: formatDate(file.deletedAt) },
  ]
  return (
    <>
      <dl className={classes.counts}>
        {facts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {file.cut ? (
        <Text size="sm" mt={8}>
          {t('jobs.file.cut')}
        </Text>
      ) : null}
    </>
  )
}

/** Calls back when the job makes progress. */
function useChange(job: BackgroundJob | undefined, onChange: (() => void) | undefined): void {
  const mark = job === undefined ? undefined : `${job.state} ${job.done}`
  const seen = useRef(mark)
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== mark) onChange?.()
    seen.current = mark
  }, [mark, onChange])
}
