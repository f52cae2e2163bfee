/** What comes back from a sandbox process, to what callers get. */
import { storableJson } from '../storable.ts'
import { describeFailure } from './position.ts'
import type { ResultHead, WireAnswer } from './protocol.ts'
import type { ScriptErrorCode, ScriptResult } from './types.ts'

/** The same failure for one input, without having been run. */
export function failed(code: ScriptErrorCode, message: string): ScriptResult {
  return { ok: false, error: { code, message }, durationUs: 0 }
}

/** Parses a result frame: head, line feed, array. Throws where the process answered something else. */
export function readResults(text: string, total: number): ScriptResult[] {
  const cut = text.indexOf('\n')
  const head = JSON.parse(text.slice(0, cut)) as ResultHead
  const answers = JSON.parse(storableJson(text.slice(cut + 1))) as WireAnswer[]
  if (!Array.isArray(answers) || answers.length !== total)
    throw new Error('A sandbox process answered a different number of inputs')
  const results: ScriptResult[] = []
  let slice = 0
  let left = 0
  let each = 0
  for (const answer of answers) {
    while (left === 0) {
      const [inputs, microseconds] = head.slices[slice++] ?? [1, 0]
      left = inputs
      // Whole microseconds; a call that ran took at least one.
      each = microseconds === 0 ? 0 : Math.max(1, Math.round(microseconds / Math.max(1, inputs)))
    }
    left--
    results.push(toResult(answer, each))
  }
  return results
}

function toResult(answer: WireAnswer, durationUs: number): ScriptResult {
  const lines = answer.l === undefined ? undefined : { console: answer.l }
  if (answer.c !== undefined) {
    const error = describeFailure(answer.c, answer.e ?? '', answer.s ?? '')
    return { ok: false, error, durationUs, ...lines }
  }
  if (answer.w === undefined && lines === undefined) return { ok: true, value: answer.v, durationUs }
  const warnings = answer.w === undefined ? undefined : { warnings: answer.w }
  return { ok: true, value: answer.v, durationUs, ...warnings, ...lines }
}
