/** Compiles and recognises a script for the editor. */

import { describeFailure } from '../position.ts'
import type { Definition } from '../protocol.ts'
import { LIMITS, type ScriptCheck, type ScriptFamily } from '../types.ts'
import { writesOf } from './compile.ts'
import { type Isolates, SetUpFailure } from './isolates.ts'
import { wasStarved } from './starved.ts'

type Hint = Extract<ScriptCheck, { ok: true }>['hints'][number]

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate']

/** Sets the script up in a context of its own, which is dropped afterwards, and says what was found. */
export function checkScript(definition: Definition, isolates: Isolates): ScriptCheck {
  for (let run = 0; ; run++) {
    const before = process.cpuUsage()
    const found = checkOnce(definition, isolates)
    const timedOut = !found.ok && found.error.code === 'SCRIPT_TIMEOUT'
    if (!timedOut || run === LIMITS.starvedRuns || !wasStarved(process.cpuUsage(before))) return found
  }
}

function checkOnce(definition: Definition, isolates: Isolates): ScriptCheck {
  try {
    const { analysis } = isolates.prepare(definition)
    const guest = isolates.acquire(definition)
    const found = guest.run.applySync(undefined, [undefined, 0, -1, 0, false, 'decode'], {
      timeout: LIMITS.timeoutMs,
    })
    const answer = JSON.parse(found) as {
      family: ScriptFamily | null
      encodes: boolean
      c?: never
      failure?: { c: 'SCRIPT_ERROR'; e: string; s: string }
    }
    const purity = isolates.purityOf(definition)
    if (answer.failure !== undefined)
      return { ok: false, error: describeFailure(answer.failure.c, answer.failure.e, answer.failure.s) }
    const hints: Hint[] = []
    const isBody = definition.kind !== 'driver' && definition.kind !== 'template'
    if (isBody && analysis?.returns === false) hints.push('NO_RETURN')
    if (analysis?.free.has('require')) hints.push('USES_REQUIRE')
    if (TIMERS.some((name) => analysis?.free.has(name))) hints.push('USES_TIMERS')
    if (analysis?.async) hints.push('ASYNC')
    if (answer.family === null)
      return {
        ok: false,
        error: { code: 'SCRIPT_NO_FUNCTION', message: 'None of the known functions was found' },
      }
    const writes = analysis === undefined ? [] : writesOf(definition, analysis)
    return { ok: true, family: answer.family, encodes: answer.encodes, purity, writes, hints }
  } catch (error) {
    if (error instanceof SetUpFailure)
      return { ok: false, error: describeFailure(error.code, error.message, error.stack ?? '') }
    const message = error instanceof Error ? error.message : String(error)
    const code = /timed out/.test(message) ? 'SCRIPT_TIMEOUT' : 'SCRIPT_MEMORY'
    return { ok: false, error: { code, message } }
  } finally {
    isolates.forget(definition.key)
  }
}
