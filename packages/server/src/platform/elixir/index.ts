import { ElixirEngine, type ElixirOptions } from './engine.ts'
import { findElixir } from './runtime.ts'

export { ElixirEngine } from './engine.ts'

/**
 * The engine for Elixir parsers. Whether they can run here is checked in the background and logged; the
 * process of an account starts with its first parser.
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
