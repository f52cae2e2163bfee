import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import type { Unit } from '../../../platform/db/writer.ts'
import { AppError } from '../../../platform/errors.ts'
import { transformValues } from '../apply.ts'
import { beginSweep, type Sweep, sweep } from './aggregate.ts'
import {
  type Concerned,
  type Corrected,
  type Corrections,
  type CorrectionTools,
  correctValues,
  type NoteMoments,
} from './correct.ts'

export { Sweep } from './aggregate.ts'
export type { Concerned, Corrected, Corrections } from './correct.ts'

/** Attempts per piece when its source values change during the computation. */
const sweepAttemptsMax = 10

interface Parts extends CorrectionTools {
  ctx: Context
  /** runs a transaction exclusively, like all transactions that store values */
  store<T>(work: (unit: Unit) => Promise<T>): Promise<T>
  /** notes computed states to be computed again; the answer is called after the commit */
  noteAgain(tx: Executor, stateIds: Iterable<number>): Promise<() => void>
  prepareMonths(table: 'state_values', times: Iterable<Date>): Promise<void>
  note: NoteMoments
  /** drops what is kept about the values of these twins */
  forgetTwins(twinIds: Iterable<number>): void
}

/** Corrects stored values; see `correctValues`. */
export function corrector({ ctx, store, noteAgain, prepareMonths, note, forgetTwins, ...tools }: Parts) {
  /**
   * Runs one exclusive transaction that corrects values. After the commit, live subscribers of twins whose
   * current values changed must reload.
   */
  async function correct<T>(
    times: Iterable<Date>,
    work: (tx: Executor, apply: (corrections: Corrections) => Promise<Corrected>) => Promise<T>,
  ): Promise<T> {
    await prepareMonths('state_values', times)
    const twinIds = new Set<number>()
    const noted: (() => void)[] = []
    const answer = await store((unit) =>
      work(unit.db, async (corrections) => {
        const corrected = await correctValues(unit.db, tools, corrections, note)
        for (const id of corrected.twinIds) twinIds.add(id)
        noted.push(await noteAgain(unit.db, corrected.again))
        return corrected
      }),
    )
    forgetTwins(twinIds)
    for (const done of noted) done()
    ctx.live.resync('twin', twinIds)
    return answer
  }

  return {
    correct,
    /** Starts recomputing an aggregate for a period; null when there is nothing to do. */
    beginSweep: (concerned: Concerned): Promise<Sweep | null> => beginSweep(ctx.db, tools, concerned),
    /**
     * Computes the next piece of an aggregate.
     * @param work stores the progress in the same transaction
     * @returns the start of the next piece; null after the last one
     */
    sweep: async (
      at: Sweep,
      work: (tx: Executor, corrected: Corrected, next: Sweep | null) => Promise<void>,
    ): Promise<Sweep | null> => {
      for (let attempt = 1; attempt <= sweepAttemptsMax; attempt++) {
        const read = await sweep(ctx.db, tools, at)
        // Run scripts before the transaction, so that they do not block other writers.
        const { values: set } = await transformValues(ctx.db, tools, read.values)
        const isDone = await correct([new Date(at.atMs)], async (tx, apply) => {
          const now = await sweep(tx, tools, at)
          if (!isDeepStrictEqual(now, read)) return false
          await work(tx, await apply({ set, remove: read.values }), read.next)
          return true
        })
        if (isDone) return read.next
      }
      throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
    },
  }
}
