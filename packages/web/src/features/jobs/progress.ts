import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Tone } from '../../ui/Badges.tsx'

export const tones: Record<BackgroundJob['state'], Tone> = {
  created: 'unknown',
  inprogress: 'accent',
  done: 'ok',
  canceled: 'warning',
  failed: 'error',
}

export const barColors: Record<BackgroundJob['state'], string> = {
  created: 'gray',
  inprogress: 'accent',
  done: 'green',
  canceled: 'yellow',
  failed: 'red',
}

/** Whether something may still happen to it. */
export function isOpen(job: Pick<BackgroundJob, 'state'>): boolean {
  return job.state === 'created' || job.state === 'inprogress'
}

/** How far it has come, 0 to 100; 100 only when it is done. */
export function percentOf({ state, done, total }: Pick<BackgroundJob, 'state' | 'done' | 'total'>): number {
  if (state === 'done') return 100
  return total === 0 ? 0 : Math.min(99, Math.floor((done / total) * 100))
}

/** Counts in the order in which they tell most; others are left to the log. */
const order: Record<BackgroundJob['type'], readonly string[]> = {
  'dead-letters-replay': ['stored', 'partly', 'duplicates', 'dropped', 'withErrors', 'failed'],
  'packets-decode': [
    'decoded',
    'changed',
    'errors',
    'valuesChanged',
    'valuesAdded',
    'valuesDeleted',
    'valuesRefused',
    'aggregates',
  ],
  'virtualdevice-bulk-edit': ['done', 'unchanged', 'failed'],
  'virtualdevice-bulk-delete-remotely': ['done', 'failed'],
  'virtualdevice-bulk-import': ['done', 'failed'],
}

/** What came out so far: counts that are not 0. */
export function countsOf({ type, result }: Pick<BackgroundJob, 'type' | 'result'>) {
  return order[type].flatMap((key) => {
    const count = Number(result[key] ?? 0)
    return count > 0 ? [{ key, count }] : []
  })
}

/** Reasons of what failed, the most frequent first. */
export function failuresOf({ result }: Pick<BackgroundJob, 'result'>): { code: string; count: number }[] {
  return Object.entries(result)
    .flatMap(([key, count]) =>
      key.startsWith('failed:') ? [{ code: key.slice(7), count: Number(count) }] : [],
    )
    .sort((a, b) => b.count - a.count)
}

/** Whether it tells what came of each device. */
export function hasRows({ type }: Pick<BackgroundJob, 'type'>): boolean {
  return type.startsWith('virtualdevice-bulk-')
}

/** What going on with it would mean; null when there is nothing to go on with. */
export function resumption({
  state,
  result,
}: Pick<BackgroundJob, 'state' | 'result'>): 'goOn' | 'retryFailed' | null {
  if (state === 'failed' || state === 'canceled') return 'goOn'
  return state === 'done' && Number(result.failed ?? 0) > 0 ? 'retryFailed' : null
}
