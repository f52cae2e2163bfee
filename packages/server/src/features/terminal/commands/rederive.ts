import * as z from 'zod'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { aggregateSources } from '../../twins/index.ts'
import { message } from '../output.ts'
import { findComputed } from '../store.ts'
import { repairing } from '../types.ts'

const statesMax = 10_000
const twin = { name: 'twin', schema: z.coerce.number().int().min(1).max(2_147_483_647) }

async function required(db: Executor, twinId: number) {
  const found = await findComputed(db, twinId, aggregateSources)
  if (found === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
  return { ...found, stateIds: found.stateIds.slice(0, statesMax) }
}

/** Computes the aggregated states of a twin or device again from the current values of their sources. */
export const rederive = repairing(twin, {
  preview: async ({ ctx }, twinId) => {
    const { title, stateIds } = await required(ctx.db, twinId)
    return [message('wouldRederive', { title, count: stateIds.length })]
  },
  work: async ({ ctx, series }, twinId) => {
    const { title, stateIds } = await required(ctx.db, twinId)
    if (stateIds.length > 0) await series.recompute(stateIds)
    return [message('rederived', { title, count: stateIds.length })]
  },
})
