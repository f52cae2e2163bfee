import type { ExportTargetKind } from '@leitstand/contract/exportSchedules'
import type { Executor } from '../../../platform/db/index.ts'
import type { MadeFile, Period } from '../../exports/index.ts'
import type { Outcome } from '../deliveries.store.ts'
import type { ScheduleRow, StoredTarget } from '../schedules.store.ts'

export type TargetOf<K extends ExportTargetKind> = Extract<StoredTarget, { kind: K }>

/** A file on its way to a target. */
export interface Parcel {
  schedule: Pick<ScheduleRow, 'id' | 'title' | 'accountId' | 'timeZone'>
  runId: number
  dueAt: Date
  period: Period
  language: 'de' | 'en'
  file: MadeFile
  /** of the target in its schedule */
  position: number
  /** Makes a secret link to the file, in this transaction. */
  link(tx: Executor): Promise<string>
  /** ends an attempt that takes too long */
  signal: AbortSignal
}

/** One kind of target. */
export interface TargetKind<K extends ExportTargetKind = ExportTargetKind> {
  /** what it is called in the history */
  nameOf(db: Executor, target: TargetOf<K>): Promise<string>
  /**
   * Makes one attempt; never rejects because of the other side.
   * @returns what is left to do in the transaction that notes the outcome
   */
  deliver(target: TargetOf<K>, parcel: Parcel): Promise<(tx: Executor) => Promise<Outcome>>
}
