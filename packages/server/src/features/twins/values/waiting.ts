import * as z from 'zod'

/** A computed state whose sources were corrected from `startMs` to `endMs`. */
export const Concerned = z.object({ stateId: z.int(), startMs: z.number(), endMs: z.number() })
export type Concerned = z.infer<typeof Concerned>

/** Computed states to be computed again, each once, for the whole time in which its sources were corrected. */
export function joined(
  waiting: readonly Concerned[],
  more: readonly { stateId: number; start: Date; end: Date }[],
): Concerned[] {
  const byState = new Map(waiting.map((each) => [each.stateId, each]))
  for (const { stateId, start, end } of more) {
    const known = byState.get(stateId)
    byState.set(stateId, {
      stateId,
      startMs: Math.min(known?.startMs ?? Number.POSITIVE_INFINITY, start.getTime()),
      endMs: Math.max(known?.endMs ?? Number.NEGATIVE_INFINITY, end.getTime()),
    })
  }
  return [...byState.values()]
}
