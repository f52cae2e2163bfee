import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { State } from '@leitstand/contract/states'
import { valueUploadLimits } from '@leitstand/contract/stateValues'
import * as z from 'zod'
import { AppError } from '../../../../platform/errors.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { timeZoneOf } from '../../../accounts/index.ts'
import { recordActivity } from '../../../activity/index.ts'
import { titleFor } from '../../../drivers/index.ts'
import { bothScopes, requireWrite } from '../../policy.ts'
import { isAggregate } from '../../sources/index.ts'
import { findObject, type ObjectRow } from '../../store/objects.ts'
import { listStates } from '../../store/states.ts'
import { begin, type Correction, type ValueTools } from '../pages.ts'
import { deleteUpload, readUpload, withUpload } from '../store.ts'
import { type PartValues, type ValuesPart, valuesTask } from './task.ts'

const Params = z.object({ uploadId: z.string() })
const aheadMaxMs = 24 * 3_600_000

/** Times that uploaded values may have. */
export const uploadBounds = (now: Date) => ({
  fromMs: Math.max(0, now.getTime() - valueUploadLimits.yearsMax * 366 * 24 * 3_600_000),
  toMs: now.getTime() + aheadMaxMs,
})

/** Stores the values of a file, a part in each page. */
export const uploading: Correction<z.infer<typeof Params>> = {
  type: 'state-values-upload',
  params: Params,
  times: async (db, { uploadId }, at) =>
    ((await readUpload(db, uploadId, partOf(at))) ?? []).map(([, timeMs]) => new Date(timeMs)),
  async read(tx, { uploadId }, at) {
    const part = partOf(at)
    const values = (await readUpload(tx, uploadId, part)) ?? []
    await deleteUpload(tx, uploadId, part)
    const set = values.map(([stateId, timeMs, value]) => ({ stateId, time: new Date(timeMs), value }))
    const hasMore = (await readUpload(tx, uploadId, part + 1)) !== undefined
    return { corrections: { set, remove: [] }, next: hasMore ? part + 1 : null }
  },
}

const partOf = (at: unknown): number => (at === null ? 0 : z.int().parse(at))

interface Upload {
  file: File
  dtwinId: number
  stateId?: number | undefined
  dryRun: boolean
}

/**
 * Reads a file of values of the states of a twin or device, and stores them.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, DTWIN_STATE_NOT_FOUND, DTWIN_STATE_COMPUTED, DTWIN_STATE_CONVERTING, and
 * those of `valuesTask`
 */
export async function uploadValues(tools: ValueTools, caller: Caller, upload: Upload) {
  const { db, clock, reader } = tools.ctx
  const twin = await writableTwin(tools, caller, upload.dtwinId)
  const states = await targetsOf(tools, caller, twin, upload.stateId)
  const bytes = new Uint8Array(await upload.file.arrayBuffer())
  const parts = await reader.read(valuesTask, {
    bytes,
    accountId: twin.accountId,
    input: {
      states: states.map(({ id, key, unit, valueType, ...state }) => {
        return { id, key, unit, valueType, title: titleFor(caller, { key, ...state }) }
      }),
      zone: await timeZoneOf(db, twin.accountId),
      only: upload.stateId !== undefined,
      bounds: uploadBounds(clock.now()),
    },
  })
  const read = summaryOf(parts)
  const known = new Set(states.map(({ id }) => id))
  if ([...read.byState.keys()].some((id) => !known.has(id))) throw new AppError('INTERNAL_ERROR')
  const found = states.flatMap((state) => {
    const span = read.byState.get(state.id)
    return span === undefined ? [] : [{ stateId: state.id, title: titleFor(caller, state), ...span }]
  })
  const job = upload.dryRun || read.values === 0 ? null : await store(tools, caller, upload, read)
  const { byState: _, parts: __, ...summary } = read
  return { ...summary, states: found, job }
}

async function writableTwin({ ctx }: ValueTools, caller: Caller, id: number): Promise<ObjectRow> {
  const scopes = bothScopes(caller, 'read')
  const twin =
    (await findObject(ctx.db, 'digitalTwin', scopes.digitalTwin, id)) ??
    (await findObject(ctx.db, 'virtualDevice', scopes.virtualDevice, id))
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
  requireWrite(caller, twin.category, twin.scopeId)
  return twin
}

/** The states whose values can be uploaded: those of computed states follow from others. */
async function targetsOf(
  { ctx }: ValueTools,
  caller: Caller,
  twin: ObjectRow,
  stateId: number | undefined,
): Promise<State[]> {
  const all = await listStates(ctx.db, bothScopes(caller, 'write'), twin.id)
  if (stateId === undefined) return all.filter(({ source }) => !isAggregate(source))
  const state = all.find(({ id }) => id === stateId)
  if (state === undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId })
  if (isAggregate(state.source)) throw new AppError('DTWIN_STATE_COMPUTED', { stateId })
  return [state]
}

export interface Read {
  rows: number
  faulty: number
  faults: Extract<ValuesPart, { found: unknown }>['found']['faults']
  ignored: string[]
  values: number
  parts: PartValues[]
  byState: Map<number, { values: number; from: string; to: string }>
}

export function summaryOf(answer: readonly ValuesPart[]): Read {
  const parts = answer.flatMap((part) => ('values' in part ? [part.values] : []))
  const [found] = answer.flatMap((part) => ('found' in part ? [part.found] : []))
  if (found === undefined) throw new AppError('INTERNAL_ERROR')
  const spans = new Map<number, { values: number; fromMs: number; toMs: number }>()
  for (const part of parts)
    for (const [stateId, timeMs] of part) {
      const span = spans.get(stateId) ?? { values: 0, fromMs: timeMs, toMs: timeMs }
      span.values++
      span.fromMs = Math.min(span.fromMs, timeMs)
      span.toMs = Math.max(span.toMs, timeMs)
      spans.set(stateId, span)
    }
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    ...found,
    parts,
    values: parts.reduce((sum, { length }) => sum + length, 0),
    byState: new Map(
      [...spans].map(([id, { values, fromMs, toMs }]) => [id, { values, from: iso(fromMs), to: iso(toMs) }]),
    ),
  }
}

async function store(
  tools: ValueTools,
  caller: Caller,
  { file, dtwinId, stateId }: Upload,
  { parts, values, faulty, byState }: Read,
): Promise<BackgroundJob | null> {
  const { db, clock } = tools.ctx
  const { job } = await withUpload(db, parts, clock.now(), (uploadId) =>
    begin(tools, caller, uploading, {
      params: { uploadId },
      total: values,
      first: async () => {
        const { id, title, ...twin } = await writableTwin(tools, caller, dtwinId)
        return { ...twin, twinId: id, twinTitle: title, ...(stateId === undefined ? {} : { stateId }) }
      },
      record: (tx, { twinId, twinTitle, category, accountId }) =>
        recordActivity(tx, caller, {
          action: 'uploadValues',
          subject: category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice',
          objectId: twinId,
          objectTitle: twinTitle,
          accountId,
          changes: { file: file.name.slice(0, 200).toWellFormed(), values, faulty, states: byState.size },
          isChange: false,
        }),
    }),
  )
  return job
}
