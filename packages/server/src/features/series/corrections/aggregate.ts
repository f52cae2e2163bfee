import type { JsonValue } from '@leitstand/contract/common'
import * as z from 'zod'
import type { Executor } from '../../../platform/db/index.ts'
import { combine, inOrderOfSources, type TimedValue } from '../aggregate.ts'
import { type ComputedInput, isPlain, passesThrough, type Tools } from '../apply.ts'
import type { StateMeta } from '../store.ts'
import type { Concerned } from './correct.ts'
import { readBefore, readNextOfAll, readSpan, readStretch } from './store.ts'

export const sweepLimits = {
  /** source values read in one piece */
  valuesMax: 20_000,
  /** inputs of a transformer in one piece: values times sources */
  inputsMax: 200_000,
  sliceFirstMs: 6 * 3_600_000,
  sliceMinMs: 1,
  sliceMaxMs: 30 * 24 * 3_600_000,
} as const

/** Progress of recomputing an aggregate; times in milliseconds. */
export const Sweep = z.object({
  stateId: z.int(),
  atMs: z.int(),
  endMs: z.int(),
  /** no values are computed before the aggregate's own first one */
  firstMs: z.int(),
  sliceMs: z.int(),
})
export type Sweep = z.infer<typeof Sweep>

/** Starts recomputing an aggregate; null when there is nothing to compute. */
export async function beginSweep(db: Executor, tools: Tools, concerned: Concerned): Promise<Sweep | null> {
  const meta = (await tools.catalog.get(db, [concerned.stateId])).get(concerned.stateId)
  if (meta === undefined || !isPlain(meta) || meta.sourceIds.length === 0) return null
  const { start, end: until } = concerned
  const stretch = { stateId: meta.id, atMs: start.getTime(), sliceMs: sweepLimits.sliceFirstMs }
  // A state that copies every value changes only where its source was corrected.
  if (passesThrough(meta)) return { ...stretch, endMs: until.getTime() + 1, firstMs: start.getTime() }
  const span = await readSpan(db, meta.id)
  // A corrected value affects the aggregate until the next value of its state.
  const next = await readNextOfAll(db, meta.sourceIds, concerned.end)
  const end = next ?? (span === null || span.last < concerned.end ? concerned.end : span.last)
  return { ...stretch, endMs: end.getTime() + 1, firstMs: (span?.first ?? start).getTime() }
}

/**
 * Computes the next piece of an aggregate, as if every value of its sources had arrived in order.
 * @returns the values and the start of the next piece; null after the last one
 */
export async function sweep(
  db: Executor,
  tools: Tools,
  at: Sweep,
): Promise<{ values: ComputedInput[]; next: Sweep | null }> {
  const meta = (await tools.catalog.get(db, [at.stateId])).get(at.stateId)
  if (meta === undefined) return { values: [], next: null }
  const max = valuesMax(meta)
  let { sliceMs } = at
  for (;;) {
    const endMs = Math.min(at.atMs + sliceMs, at.endMs)
    const [start, end] = [new Date(at.atMs), new Date(endMs)]
    const events = await readStretch(db, meta.sourceIds, start, end, max + 1)
    if (events.length > max && sliceMs > sweepLimits.sliceMinMs) {
      sliceMs = Math.max(sweepLimits.sliceMinMs, Math.floor(Math.min(sliceMs, endMs - at.atMs) / 4))
      continue
    }
    const values = passesThrough(meta)
      ? events.map(({ value, time }) => ({ stateId: meta.id, value, time, values: [] }))
      : replay(meta, await readBefore(db, meta.sourceIds, start), events, at.firstMs)
    const roomy = events.length < max / 4 ? sliceMs * 2 : sliceMs
    const next = { ...at, atMs: endMs, sliceMs: Math.min(roomy, sweepLimits.sliceMaxMs) }
    return { values, next: endMs >= at.endMs ? null : next }
  }
}

function valuesMax(meta: StateMeta): number {
  if (meta.transformer === null) return sweepLimits.valuesMax
  return Math.max(100, Math.floor(sweepLimits.inputsMax / meta.sourceIds.length))
}

/** The values of an aggregate at the times of its source values. Pure. */
export function replay(
  meta: Pick<StateMeta, 'id' | 'method' | 'sourceIds' | 'transformer'>,
  before: ReadonlyMap<number, TimedValue>,
  events: readonly { stateId: number; time: Date; value: JsonValue }[],
  firstMs: number,
): ComputedInput[] {
  const current = new Map<number, TimedValue>()
  for (const id of meta.sourceIds) {
    const value = before.get(id)
    if (value !== undefined) current.set(id, value)
  }
  const withInputs = meta.transformer !== null
  const computed: ComputedInput[] = []
  for (const [index, { stateId, time, value }] of events.entries()) {
    current.set(stateId, { time, value })
    // Source values with the same time produce one value.
    if (events[index + 1]?.time.getTime() === time.getTime() || time.getTime() < firstMs) continue
    const inputs = inOrderOfSources(meta.sourceIds, current)
    const combined = combine(meta.method, inputs)
    if (combined === null) continue
    const values = withInputs ? inputs.map((input) => ({ ...input, time: input.time.toISOString() })) : []
    computed.push({ stateId: meta.id, value: combined, time, values })
  }
  return computed
}
