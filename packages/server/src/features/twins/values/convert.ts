import { type Conversion, conversionOf, converted } from '@leitstand/contract/units'
import * as z from 'zod'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivities } from '../../activity/index.ts'
import { isTakenAlong, type SeriesFeature } from '../../series/index.ts'
import { changesOf } from '../changes.ts'
import { bothScopes } from '../policy.ts'
import { type Correction, valueLimits } from './pages.ts'
import { type Limits, lockEditable, readNumbersBefore, storeUnit } from './store.ts'
import { convertedLimits } from './units.ts'

const Params = z.object({ stateId: z.int(), factor: z.number(), offset: z.number() })

/**
 * Converts the numbers of a state from the newest to the oldest, so that the current value is right at once. What arrives
 * meanwhile is newer and not converted.
 */
export const conversion: Correction<z.infer<typeof Params>> = {
  type: 'state-values-convert',
  params: Params,
  async read(tx, { stateId, ...how }, at) {
    const before = at === null ? null : new Date(z.number().parse(at))
    const values = await readNumbersBefore(tx, stateId, before, valueLimits.pageMax)
    const set = values.map(({ time, value }) => ({ stateId, time, value: converted(value, how) }))
    const next = values.length < valueLimits.pageMax ? null : (values.at(-1)?.time.getTime() ?? null)
    return { corrections: { set, remove: [] }, next }
  },
}

/** @throws AppError DTWIN_STATE_UNITS when values of one unit cannot be converted to the other */
export function requireConversion(from: string, to: string): Conversion {
  const found = conversionOf(from, to)
  if (found === null) throw new AppError('DTWIN_STATE_UNITS', { from, to })
  return found
}

/** Depth to which copies of copies are followed. */
const depthMax = 20

/**
 * Gives the unit to the states that copy every value of a converted one and were in its unit: their values are converted
 * with it. Only those that the caller may change.
 */
export async function convertCopies(
  tx: Executor,
  { catalog }: Pick<SeriesFeature, 'catalog'>,
  caller: Caller,
  change: { stateId: number; from: string; to: string; conversion: Conversion; now: Date },
): Promise<void> {
  const { from, to, now } = change
  let wave = [change.stateId]
  for (let depth = 0; wave.length > 0 && depth < depthMax; depth++) {
    const sources = await catalog.get(tx, wave)
    const dependents = await catalog.get(
      tx,
      [...sources.values()].flatMap(({ dependentIds }) => dependentIds),
    )
    wave = [...dependents.values()].filter(isTakenAlong).map(({ id }) => id)
    const copies = (await lockEditable(tx, bothScopes(caller, 'write'), wave)).filter(
      ({ unit }) => unit === from,
    )
    const entries = []
    for (const copy of copies) {
      const after: Limits & { unit: string } = { unit: to, ...convertedLimits(copy, change.conversion) }
      await storeUnit(tx, copy.id, to, after, now)
      entries.push({
        action: 'update',
        subject: 'State',
        objectId: copy.id,
        objectTitle: `${copy.twinTitle} · ${copy.title}`,
        accountId: copy.accountId,
        changes: changesOf({ ...copy }, { ...after }),
      })
    }
    await recordActivities(tx, caller, entries)
  }
}
