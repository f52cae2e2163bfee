/** Runs user scripts in sandbox processes, with limits. See `types.ts` for the interface. */
export { apart } from './apart.ts'
export type { ScriptEngineOptions } from './engine.ts'
export { scriptsOnDemand } from './onDemand.ts'
export { analyse, isIdentifier } from './sandbox/analyse.ts'
export { createScriptEngine } from './start.ts'
export { topAccountOf } from './store.ts'
export * from './types.ts'
