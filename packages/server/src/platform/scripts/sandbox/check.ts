/** Compiles and classifies a script for the editor. */

import { describeFailure } from '../position.ts'
import type { Definition } from '../protocol.ts'
import { LIMITS, type ScriptCheck, type ScriptErrorCode, type ScriptFamily } from '../types.ts'
import { writesOf } from './compile.ts'
import { HostileGuest, type Isolates, recognise } from './isolates.ts'
import { reasonOf } from './reasons.ts'
import { wasStarved } from './starved.ts'

type Hint = Extract<ScriptCheck, { ok: true }>['hints'][number]

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate']

/** Sets the script up in a temporary context of its own and reports what was found. */
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
    const answer = readRecognised(recognise(guest))
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
    const writes = analysis === undefined ? [] : writesOf(definition, analysis).slice(0, LIMITS.names)
    const names = writes.map((name) => name.slice(0, LIMITS.nameChars))
    return { ok: true, family: answer.family, encodes: answer.encodes, purity, writes: names, hints }
  } catch (error) {
    const { code, message, stack } = reasonOf(error)
    return { ok: false, error: describeFailure(code, message, stack) }
  } finally {
    isolates.forget(definition.key)
  }
}

interface Recognised {
  readonly family: ScriptFamily | null
  readonly encodes: boolean
  readonly failure?: { readonly c: ScriptErrorCode; readonly e: string; readonly s: string }
}

/** The harness's description of a script, which may be forged. The server validates the result again. */
function readRecognised(text: string): Recognised {
  try {
    return JSON.parse(text) as Recognised
  } catch {
    throw new HostileGuest('The answer is no JSON')
  }
}
