import { ElixirEngine } from './engine.ts'
import { findElixir } from './process.ts'

export { ElixirEngine } from './engine.ts'

/** The engine for parsers in Elixir, or null where it is not installed. Its process is started with the first parser. */
export async function openElixir(log: {
  warn(details: object, message: string): void
  info(details: object, message: string): void
}): Promise<ElixirEngine | null> {
  const programs = await findElixir()
  if (programs === null) return null
  const { bubblewrap } = programs
  const isolation =
    bubblewrap === null ? 'without bubblewrap: only by what parsers may call' : 'in bubblewrap'
  log.info({ isolation }, 'parsers in Elixir can be run')
  return new ElixirEngine(programs, log)
}
