import type { ExportRun, ExportSchedule, ExportTarget } from '@leitstand/contract/exportSchedules'
import type { Caller } from '../../platform/http/caller.ts'
import type { ContentsOf } from './contents/index.ts'
import type { ScheduleRow, StoredTarget } from './schedules.store.ts'

/** Who has created a schedule, and managers of its account. */
export function mayChange(
  caller: Caller,
  { createdBy, scopeId }: Pick<ScheduleRow, 'createdBy' | 'scopeId'>,
): boolean {
  const isOwn = createdBy !== null && createdBy === caller.userId
  return isOwn || caller.scopeIds('all', 'manage').includes(scopeId)
}

/** A schedule as shown, without secrets. @param connectors names by id */
export function present(
  caller: Caller,
  row: ScheduleRow,
  connectors: ReadonlyMap<number, { name: string }>,
): ExportSchedule {
  const { scopeId: _, createdBy: __, owner: ___, failing: ____, targets, last, ...shown } = row
  return {
    ...shown,
    targets: targets.map((target) => presentTarget(target, connectors)),
    nextAt: row.nextAt?.toISOString() ?? null,
    last: last && { ...last, dueAt: new Date(last.dueAt).toISOString() },
    createdAt: row.createdAt.toISOString(),
    editable: mayChange(caller, row),
  }
}

function presentTarget(
  target: StoredTarget,
  connectors: ReadonlyMap<number, { name: string }>,
): ExportTarget {
  switch (target.kind) {
    case 'mail':
      return target
    case 'connector':
      return { ...target, connectorName: connectors.get(target.connectorId)?.name ?? null }
    case 'file':
      return { kind: 'file', target: target.target, hasSecret: target.secret !== null }
  }
}

/** Runs as shown: with whether their files are still there. */
export function runsOf(contentOf: ContentsOf) {
  return (
    { content }: Pick<ScheduleRow, 'content'>,
    runs: readonly Omit<ExportRun, 'hasFile'>[],
  ): Promise<ExportRun[]> =>
    Promise.all(
      runs.map(async (run) => {
        const isMade = run.fileName !== null && run.jobId !== null
        const made = isMade && run.jobId !== null ? await contentOf(content).made(run.jobId) : null
        return { ...run, hasFile: made !== null && 'file' in made }
      }),
    )
}
