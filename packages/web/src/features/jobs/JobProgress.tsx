import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Progress } from '@mantine/core'
import { IconClock, IconPlayerStop, IconProgress, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'
import { barOf, failedOf, percentOf, toneOf } from './progress.ts'

/** Icons for states whose tone would suggest another one: a running job is not done. */
const icons: Partial<Record<BackgroundJob['state'], IconType>> = {
  created: IconClock,
  inprogress: IconProgress,
  postprocessing: IconProgress,
  deleted: IconTrash,
  canceled: IconPlayerStop,
}

/** A job's state; if it is done, also how much of it failed. */
export function JobBadge({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const failed = failedOf(job)
  const label = job.cancelRequested
    ? t('jobs.canceling')
    : job.state === 'done' && failed > 0
      ? t('jobs.doneWithFailed', { failed: formatNumber(failed, 0) })
      : t(`jobs.state.${job.state}`)
  return <StatusBadge tone={toneOf(job)} icon={icons[job.state]} label={label} />
}

/** A job's progress, failures in red. */
export function JobBar({ job, size }: { job: BackgroundJob; size?: 'sm' }) {
  const { t } = useTranslation()
  const { done, failed, color } = barOf(job)
  return (
    <Progress.Root
      {...(size ? { size } : {})}
      role="progressbar"
      aria-label={t('jobs.progress')}
      aria-valuenow={percentOf(job)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <Progress.Section
        withAria={false}
        value={done}
        color={color}
        animated={job.state === 'inprogress' || job.state === 'postprocessing'}
      />
      <Progress.Section withAria={false} value={failed} color="red" />
    </Progress.Root>
  )
}
