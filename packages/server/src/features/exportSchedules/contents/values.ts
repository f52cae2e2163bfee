import type { Context } from '../../../platform/context.ts'
import { type ExportsFeature, madeFile } from '../../exports/index.ts'
import type { JobsFeature } from '../../jobs/index.ts'
import type { Content } from './types.ts'

/** Values of devices or twins, exported by the same background job as those that people start. */
export function valuesContent(
  { db }: Pick<Context, 'db'>,
  {
    exporting,
    jobs,
  }: { exporting: Pick<ExportsFeature, 'startDue' | 'check'>; jobs: Pick<JobsFeature, 'find'> },
): Content<'values'> {
  return {
    check: (caller, { kind: _, formatting, ...content }, { range, timeZone, dueAt }) =>
      exporting.check(caller, { ...content, range, formatting: { ...formatting, timeZone } }, dueAt),
    begin: async (tx, caller, { kind: _, formatting, ...content }, run) => {
      const { scheduleId, title, place, range, timeZone, dueAt, name } = run
      const begun = await exporting.startDue(tx, caller, {
        ...content,
        title,
        range,
        formatting: { ...formatting, timeZone },
        notify: false,
        dueAt,
        place,
        name,
        changes: { exportSchedule: scheduleId },
      })
      return begun && { jobId: begun.job.id, period: begun.period }
    },
    made: async (jobId) => {
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
    },
    languageOf: ({ formatting }) => formatting.language,
  }
}
