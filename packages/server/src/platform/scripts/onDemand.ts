import type { ScriptEngine } from './types.ts'

/**
 * A script engine that starts with the first script. A server does not wait with that until a device sends something;
 * most test files run no script, and a sandbox process is a third of what starting a server in them takes.
 */
export function scriptsOnDemand(start: () => Promise<ScriptEngine>): ScriptEngine {
  let starting: Promise<ScriptEngine> | undefined
  let started: ScriptEngine | undefined
  const engine = async () => {
    starting ??= start()
    started = await starting
    return started
  }
  return {
    run: async (...call) => (await engine()).run(...call),
    encode: async (...call) => (await engine()).encode(...call),
    check: async (...call) => (await engine()).check(...call),
    isTroubled: (account) => started?.isTroubled(account) ?? false,
    status: () => started?.status() ?? { processes: [], waitingCalls: 0, restarts: 0, quarantined: [] },
    [Symbol.asyncDispose]: async () => (await starting)?.[Symbol.asyncDispose](),
  }
}
