import type { ScriptEngine } from './types.ts'

/** The engine for trial runs, which are separate from live traffic. */
export function apart(scripts: Pick<ScriptEngine, 'run'>): Pick<ScriptEngine, 'run'> {
  return { run: (script, inputs, options) => scripts.run(script, inputs, { ...options, apart: true }) }
}
