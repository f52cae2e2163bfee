import type { BackgroundJob } from '@leitstand/contract/jobs'
import { jobKinds } from '@leitstand/contract/jobs/kinds'
import type { Tone } from '../../ui/display/Badges.tsx'

type Outcome = Pick<BackgroundJob, 'state' | 'result'>

const tones: Record<BackgroundJob['state'], Tone> = {
  created: 'unknown',
  inprogress: 'accent',
  postprocessing: 'accent',
  deleted: 'unknown',
  done: 'ok',
  canceled: 'warning',
  failed: 'error',
}

const barColors: Record<BackgroundJob['state'], string> = {
  created: 'gray',
  inprogress: 'accent',
  postprocessing: 'accent',
  deleted: 'gray',
  done: 'green',
  canceled: 'yellow',
  failed: 'red',
}

/** Number of items that have failed so far. */
export function failedOf({ result }: Pick<BackgroundJob, 'result'>): number {
  return Number(result.failed ?? 0)
}

/** A finished job is only shown as successful if nothing failed. */
export function toneOf(job: Outcome): Tone {
  return job.state === 'done' && failedOf(job) > 0 ? 'warning' : tones[job.state]
}

/** Segments of the bar in percent: successful, and failed with a minimum width so that it stays visible. */
export function barOf(job: Outcome & Pick<BackgroundJob, 'done' | 'total'>) {
  const percent = percentOf(job)
  const share = job.total === 0 ? 0 : (failedOf(job) / job.total) * 100
  const failed = share === 0 ? 0 : Math.min(percent, Math.max(2, share))
  return { done: percent - failed, failed, color: barColors[job.state] }
}

/** Whether the job can still change. */
export function isOpen(job: Pick<BackgroundJob, 'state'>): boolean {
  return job.state === 'created' || job.state === 'inprogress' || job.state === 'postprocessing'
}

/** Progress, 0 to 100; 100 only when it is done. */
export function percentOf({ state, done, total }: Pick<BackgroundJob, 'state' | 'done' | 'total'>): number {
  if (state === 'done' || state === 'deleted') return 100
  return total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100))
}

/** Result counts so far, without zeros. */
export function countsOf({ type, result }: Pick<BackgroundJob, 'type' | 'result'>) {
  return jobKinds[type].results.flatMap((key) => {
    const count = Number(result[key] ?? 0)
    return count > 0 ? [{ key, count }] : []
  })
}

/** Reasons of the failures, most frequent first. */
export function failuresOf({ result }: Pick<BackgroundJob, 'result'>): { code: string; count: number }[] {
  return Object.entries(result)
    .flatMap(([key, count]) =>
      key.startsWith('failed:') ? [{ code: key.slice(7), count: Number(count) }] : [],
    )
    .sort((a, b) => b.count - a.count)
}

/** Whether the job has a row per device. */
export function hasRows({ type }: Pick<BackgroundJob, 'type'>): boolean {
  return jobKinds[type].hasRows
}

/** How the job can be resumed; null if it cannot. */
export function resumption(job: Outcome): 'goOn' | 'retryFailed' | null {
  if (job.state === 'failed' || job.state === 'canceled') return 'goOn'
  return job.state === 'done' && failedOf(job) > 0 ? 'retryFailed' : null
}
