/** An engine for tests: the real one, with a log that keeps its messages. */
import type { ScriptEngineOptions } from './engine.ts'
import { createScriptEngine } from './start.ts'
import type { ScriptEngine, ScriptResult, ScriptSource } from './types.ts'

export interface TestEngine extends AsyncDisposable {
  readonly engine: ScriptEngine
  readonly logged: string[]
}

/** The engine with the server's settings, and what it logged. */
export async function startTestEngine(
  workers = 1,
  more: Partial<ScriptEngineOptions> = {},
): Promise<TestEngine> {
  const logged: string[] = []
  const keep = (details: object, message: string): void => {
    logged.push(`${message} ${JSON.stringify(details)}`)
  }
  const log = { info: keep, warn: keep, error: keep }
  const engine = await createScriptEngine({ workers, log, ...more })
  return { engine, logged, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() }
}

let scripts = 0

/** A driver owned by the account's group. */
export function driver(source: string, more: Partial<ScriptSource> = {}): ScriptSource {
  scripts++
  return { id: `driver-${scripts}`, kind: 'driver', group: `account ${scripts}`, source, ...more }
}

/** Value of a good result; for a bad one an error that shows it. */
export function good(result: ScriptResult | undefined): unknown {
  if (result?.ok !== true) throw new Error(`Not a good answer: ${JSON.stringify(result)}`)
  return result.value
}

/** Code of a bad result, `ok` for a good one. */
export function outcome(result: ScriptResult | undefined): string {
  if (result === undefined) return 'missing'
  return result.ok ? 'ok' : result.error.code
}
