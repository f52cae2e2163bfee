import type { BackgroundJob, JobType } from '@leitstand/contract/jobs'
import * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import {
  advance,
  type JobKind,
  type JobRecord,
  type JobsFeature,
  mayWriteDevices,
  mayWriteTwins,
} from '../../jobs/index.ts'
import { type Corrected, type Corrections, type SeriesFeature, Sweep } from '../../series/index.ts'
import type { StateOwner } from '../store/states.ts'
import { Concerned, joined } from './waiting.ts'

export interface ValueTools {
  ctx: Context
  series: SeriesFeature
  jobs: JobsFeature
}

export const valueLimits = {
  /** values that one transaction corrects; the pipeline waits for it */
  pageMax: 2_000,
} as const

/** Progress: corrections first, then the aggregates that are computed from the corrected values. */
const Cursor = z.object({
  /** where the next page begins, depends on the kind; null: all are corrected */
  at: z.json().nullable(),
  waiting: z.array(Concerned),
  sweep: Sweep.nullable(),
})
type Cursor = z.infer<typeof Cursor>

/** A page of corrections. */
export interface Page {
  corrections: Corrections
  /** where the next one begins; null: this is the last one */
  next: z.infer<typeof Cursor>['at']
}

/** Corrections of the values of states, a page in each transaction. */
export interface Correction<P> {
  type: JobType
  params: z.ZodType<P>
  /** Times of values that a page adds; absent: none. */
  times?(db: Executor, params: P, at: Cursor['at']): Promise<Date[]>
  /** Reads a page, in the transaction that corrects it. @param at null: the first one */
  read(tx: Executor, params: P, at: Cursor['at']): Promise<Page>
}

const Params = z.object({ of: z.json(), begin: Cursor })

/** A background job that continues corrections from where `begin` left off. */
export function correctionKind<P>(
  { series, ctx }: Pick<ValueTools, 'ctx' | 'series'>,
  correction: Correction<P>,
): JobKind<z.infer<typeof Params>> {
  return {
    type: correction.type,
    params: Params,
    page: async (job, { of, begin }) => {
      const cursor = job.cursor === null ? begin : Cursor.parse(job.cursor)
      if (cursor.at === null) return sweepPage({ ctx, series }, job, cursor)
      const params = correction.params.parse(of)
      const times = (await correction.times?.(ctx.db, params, cursor.at)) ?? []
      await series.corrections.correct(times, async (tx, apply) => {
        const { corrections, next } = await correction.read(tx, params, cursor.at)
        const corrected = await apply(corrections)
        const to = { ...cursor, at: next, waiting: joined(cursor.waiting, corrected.aggregates) }
        await advance(tx, job, { cursor: to, done: sizeOf(corrections), add: countsOf(corrected) })
      })
      return true
    },
  }
}

async function sweepPage(
  { ctx, series }: Pick<ValueTools, 'ctx' | 'series'>,
  job: JobRecord,
  { waiting, sweep }: Cursor,
): Promise<boolean> {
  if (sweep !== null) {
    await series.corrections.sweep(sweep, async (tx, corrected, next) => {
      const cursor = { at: null, waiting: joined(waiting, corrected.aggregates), sweep: next }
      await advance(tx, job, { cursor, done: 0, add: countsOf(corrected) })
    })
    return true
  }
  const [first, ...rest] = waiting
  if (first === undefined) return false
  const begun = await series.corrections.beginSweep({
    stateId: first.stateId,
    start: new Date(first.startMs),
    end: new Date(first.endMs),
  })
  const cursor = { at: null, waiting: rest, sweep: begun }
  await advance(ctx.db, job, { cursor, done: 0, add: { aggregates: begun === null ? 0 : 1 } })
  return true
}

const sizeOf = ({ set, remove }: Corrections) => set.length + remove.length

function countsOf({ added, changed, deleted, refused }: Corrected): Record<string, number> {
  return { valuesAdded: added, valuesChanged: changed, valuesDeleted: deleted, valuesRefused: refused.length }
}

/** What `begin` did, and the job for what remains. */
interface Begun {
  counts: Record<string, number>
  job: BackgroundJob | null
}

interface Beginning<P, S extends Subject> {
  params: P
  /** how many values are corrected in all, as far as known; counted before, because the pipeline waits meanwhile */
  total: number
  /** Checks and changes what belongs to the correction, in the same transaction and before it. */
  first: (tx: Executor) => Promise<S>
  /** Records the correction. */
  record: (tx: Executor, owner: S, counts: Record<string, number>) => Promise<void>
}

/** What is corrected: a state, or the states of a twin or device. */
export type Subject = Pick<StateOwner, 'twinId' | 'twinTitle' | 'category' | 'accountId' | 'scopeId'> &
  Partial<Pick<StateOwner, 'stateId' | 'title'>> & {
    /** states of several twins or devices of the account, which then stands for them */
    several?: { twinIds: readonly number[]; scopeIds: readonly number[] }
  }

/** Corrects a first page at once and leaves the rest to a job, if there is any. */
export async function begin<P extends z.core.util.JSONType, S extends Subject>(
  { ctx, series, jobs }: ValueTools,
  caller: Caller,
  correction: Correction<P>,
  { params, total, first, record }: Beginning<P, S>,
): Promise<Begun> {
  const times = (await correction.times?.(ctx.db, params, null)) ?? []
  return series.corrections.correct(times, async (tx, apply) => {
    const owner = await first(tx)
    await refuseWhileConverting(jobs, tx, owner)
    const { corrections, next } = await correction.read(tx, params, null)
    const corrected = await apply(corrections)
    const own = new Set(corrections.set.map(({ stateId }) => stateId))
    const refused = corrected.refused.find(({ stateId }) => own.has(stateId))
    if (refused !== undefined) throw new AppError(refused.code, { stateId: refused.stateId }, refused.message)
    const counts = countsOf(corrected)
    await record(tx, owner, counts)
    const waiting = joined([], corrected.aggregates)
    if (next === null && waiting.length === 0) return { counts, job: null }
    const rest = next === null ? 0 : Math.max(0, total - sizeOf(corrections))
    const job = await jobs.create(
      caller,
      {
        type: correction.type,
        title: owner.title === undefined ? owner.twinTitle : `${owner.twinTitle} · ${owner.title}`,
        accountId: owner.accountId,
        scopeId: owner.scopeId,
        resourceType: owner.several ? 'account' : owner.category,
        resourceId: owner.several ? owner.accountId : owner.twinId,
        params: z.json().parse({
          ...(owner.stateId === undefined ? {} : { stateId: owner.stateId }),
          of: params,
          begin: { at: next, waiting, sweep: null },
        }),
        total: rest,
        demands: {
          permissions: owner.category === 'digitalTwin' ? mayWriteTwins : mayWriteDevices,
          scopeIds: owner.several?.scopeIds ?? [owner.scopeId],
          everywhere: true,
        },
      },
      {},
      [],
      tx,
    )
    return { counts, job }
  })
}

/**
 * A value corrected while the history is being converted could be converted twice or not at all.
 * @throws AppError DTWIN_STATE_CONVERTING
 */
async function refuseWhileConverting(jobs: JobsFeature, tx: Executor, owner: Subject): Promise<void> {
  const { stateId, category, twinId, several } = owner
  const about = {
    type: 'state-values-convert',
    resourceType: category,
    resourceIds: several?.twinIds ?? [twinId],
    params: stateId === undefined ? {} : { stateId },
  } as const
  if (await jobs.hasUnfinished(tx, about)) throw new AppError('DTWIN_STATE_CONVERTING', { stateId })
}
