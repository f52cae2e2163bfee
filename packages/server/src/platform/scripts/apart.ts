import type { ScriptEngine } from './types.ts'

/** The engine for somebody who is only trying scripts: they run apart from live traffic. */
export function apart(scripts: Pick<ScriptEngine, 'run'>): Pick<ScriptEngine, 'run'> {
  return { run: (script, inputs, options) => scripts.run(script, inputs, { ...options, apart: true }) }
}
