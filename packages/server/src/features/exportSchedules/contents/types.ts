import type { ExportRunReason, ScheduledContent, ScheduledRange } from '@leitstand/contract/exportSchedules'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { MadeFile, Period } from '../../exports/index.ts'

export type ContentKind = ScheduledContent['kind']
export type ContentOf<K extends ContentKind> = Extract<ScheduledContent, { kind: K }>

/** What a run makes its file of. */
export interface ContentRun {
  scheduleId: number
  title: string
  place: { accountId: number; scopeId: number }
  range: ScheduledRange
  timeZone: string
  /** its period is computed from this time, even if it is made up for later */
  dueAt: Date
  /** of the file, without its ending */
  name: string
}

/** What has become of the background job of a run. */
export type Made = { file: MadeFile } | { reason: ExportRunReason; detail: string }

/** One kind of content that schedules export. */
export interface Content<K extends ContentKind = ContentKind> {
  /**
   * Refuses what could not be made now.
   * @throws AppError with the code of the fault
   */
  check(caller: Caller, content: ContentOf<K>, run: Omit<ContentRun, 'scheduleId' | 'name'>): Promise<void>
  /**
   * Begins a background job with the rights of the caller, in this transaction.
   * @returns null when there is nothing to export
   * @throws AppError see `reasonOf`
   */
  begin(
    tx: Executor,
    caller: Caller,
    content: ContentOf<K>,
    run: ContentRun,
  ): Promise<{ jobId: number; period: Period } | null>
  /** The file of a job that has ended, or why there is none. */
  made(jobId: number): Promise<Made>
  /** of its file and of the mails about it */
  languageOf(content: ContentOf<K>): 'de' | 'en'
}
