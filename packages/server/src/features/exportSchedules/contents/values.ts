import type { Context } from '../../../platform/context.ts'
import type { ExportsFeature } from '../../exports/index.ts'
import { type MadeTools, madeBy } from './made.ts'
import type { Content } from './types.ts'

/** Values of devices or twins, exported by the same background job as those that people start. */
export function valuesContent(
  { db }: Pick<Context, 'db'>,
  { exporting, jobs }: { exporting: Pick<ExportsFeature, 'startDue' | 'check'>; jobs: MadeTools['jobs'] },
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
    made: madeBy({ db, jobs }),
    languageOf: ({ formatting }) => formatting.language,
  }
}
