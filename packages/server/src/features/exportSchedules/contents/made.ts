import type { Executor } from '../../../platform/db/index.ts'
import { madeFile } from '../../exports/index.ts'
import type { JobsFeature } from '../../jobs/index.ts'
import type { Made } from './types.ts'

export interface MadeTools {
  db: Executor
  jobs: Pick<JobsFeature, 'find'>
}

/** What has become of a background job that makes a file. */
export function madeBy({ db, jobs }: MadeTools): (jobId: number) => Promise<Made> {
  return async (jobId) => {
    const job = await jobs.find(jobId)
    if (job?.state === 'done' && job.file) return { file: madeFile(db, jobId, job.file) }
    if (job?.state === 'failed') {
      const code = job.error?.code ?? ''
      return code === 'BACKGROUND_JOB_REVOKED'
        ? { reason: 'ownerRights', detail: '' }
        : { reason: 'jobFailed', detail: code }
    }
    // Cancelled, or somebody has deleted it or its file.
    return { reason: 'canceled', detail: '' }
  }
}
