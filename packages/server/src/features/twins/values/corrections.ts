import type { JsonValue } from '@leitstand/contract/common'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import * as z from 'zod'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivity } from '../../activity/index.ts'
import { readValue } from '../stateFields.ts'
import { aboutState, ownerForChange } from '../stateOwner.ts'
import { begin, type Correction, type ValueTools, valueLimits } from './pages.ts'
import { countValues, readTimes, readValueAt } from './store.ts'

const Corrected = z.object({ stateId: z.int(), timeMs: z.number(), value: z.json() })

/** Replaces one value. */
export const correction: Correction<z.infer<typeof Corrected>> = {
  type: 'state-values-correct',
  params: Corrected,
  read: async (_tx, { stateId, timeMs, value }) => ({
    corrections: { set: [{ stateId, time: new Date(timeMs), value }], remove: [] },
    next: null,
  }),
}

const Deleted = z.object({ stateId: z.int(), startMs: z.number(), endMs: z.number() })

/** Deletes the values of a period, from the oldest to the newest. */
export const deletion: Correction<z.infer<typeof Deleted>> = {
  type: 'state-values-delete',
  params: Deleted,
  async read(tx, { stateId, startMs, endMs }, at) {
    const start = new Date(at === null ? startMs : z.number().parse(at))
    const times = await readTimes(tx, stateId, { start, end: new Date(endMs) }, valueLimits.pageMax)
    const next = times.length < valueLimits.pageMax ? null : (times.at(-1)?.getTime() ?? null)
    return { corrections: { set: [], remove: times.map((time) => ({ stateId, time })) }, next }
  },
}

/**
 * Replaces a stored value.
 * @throws AppError DTWIN_STATE_NOT_FOUND, NO_PERMISSION, DTWIN_STATE_VALUE_NOT_FOUND, DTWIN_STATE_CONVERTING,
 * VALUE_WRONG_TYPE, INVALID_JSON_VALUE
 */
export async function correctValue(
  tools: ValueTools,
  caller: Caller,
  { id, time, value, reason }: { id: number; time: string; value: JsonValue; reason: string },
): Promise<BackgroundJob | null> {
  const { db } = tools.ctx
  const { valueType } = await ownerForChange(db, caller, id)
  const after = readValue(valueType, value)
  const at = new Date(time)
  let before: JsonValue | undefined
  const { job } = await begin(tools, caller, correction, {
    params: { stateId: id, timeMs: at.getTime(), value: after },
    total: 1,
    first: async (tx) => {
      const owner = await ownerForChange(tx, caller, id, { lock: true })
      before = await readValueAt(tx, id, at)
      if (before === undefined) throw new AppError('DTWIN_STATE_VALUE_NOT_FOUND', { stateId: id, time })
      return owner
    },
    record: (tx, owner) =>
      recordActivity(tx, caller, {
        ...aboutState(owner, 'correctValue'),
        changes: { value: { before, after }, time: at.toISOString(), reason },
        isChange: false,
      }),
  })
  return job
}

/**
 * Deletes the values of a period.
 * @returns how many are deleted already
 * @throws AppError DTWIN_STATE_NOT_FOUND, NO_PERMISSION, DTWIN_STATE_CONVERTING
 */
export async function deleteValues(
  tools: ValueTools,
  caller: Caller,
  { id, startDate, endDate, reason }: { id: number; startDate: string; endDate: string; reason: string },
): Promise<{ deleted: number; job: BackgroundJob | null }> {
  const [start, end] = [new Date(startDate), new Date(endDate)]
  const { db } = tools.ctx
  await ownerForChange(db, caller, id)
  const values = await countValues(db, id, { start, end })
  const { counts, job } = await begin(tools, caller, deletion, {
    params: { stateId: id, startMs: start.getTime(), endMs: end.getTime() },
    total: values,
    first: (tx) => ownerForChange(tx, caller, id, { lock: true }),
    record: (tx, owner) =>
      recordActivity(tx, caller, {
        ...aboutState(owner, 'deleteValues'),
        changes: { startDate: start.toISOString(), endDate: end.toISOString(), values, reason },
        isChange: false,
      }),
  })
  return { deleted: counts.valuesDeleted ?? 0, job }
}
