/** Starts the script engine in the best isolation that works on this machine. */
import { Engine, type ScriptEngineOptions } from './engine.ts'
import { type Isolation, isolations } from './isolation.ts'
import type { ScriptEngine } from './types.ts'

/**
 * Starts the sandbox processes and waits until they are ready. Tries the isolations from best to worst and
 * logs which one works. Rejects when the processes cannot be started with any of them.
 */
export async function createScriptEngine(
  options: ScriptEngineOptions,
  ways: readonly Isolation[] = isolations(),
): Promise<ScriptEngine> {
  const failures: unknown[] = []
  for (const isolation of ways) {
    const engine = new Engine(options, isolation)
    try {
      await engine.started
      options.log.info({ isolation: isolation.name }, 'Scripts run in processes of their own')
      return engine
    } catch (error) {
      await engine[Symbol.asyncDispose]()
      const details = { err: error, isolation: isolation.name }
      options.log.warn(
        details,
        'Sandbox processes cannot be isolated like this here; the next best way is tried',
      )
      failures.push(error)
    }
  }
  throw failures.at(-1)
}
