import { ElixirEngine, type ElixirOptions } from './engine.ts'
import { findElixir } from './runtime.ts'

export { ElixirEngine } from './engine.ts'

/**
 * The engine for parsers in Elixir. Whether they can be run here is found out meanwhile, and said in the log; the process of
 * an account is started with its first parser.
 */
export function openElixir(options: Pick<ElixirOptions, 'log' | 'onLimit'>): ElixirEngine {
  const runtime = findElixir()
  runtime.then((found) => {
    if ('reason' in found)
      options.log.info({ reason: found.reason, why: found.message }, 'parsers in Elixir cannot be run here')
    else options.log.info({ isolation: 'bubblewrap, seccomp' }, 'parsers in Elixir can be run')
  })
  return new ElixirEngine({ ...options, runtime })
}
