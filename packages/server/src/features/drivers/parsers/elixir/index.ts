import { readOutside } from '../outside.ts'
import type { ParserKindOf } from '../types.ts'
import { ElixirParsers } from './processes.ts'

const nothingRuns = {
  code: 'PARSER_ELIXIR_MISSING',
  message: 'Nothing here runs parsers in Elixir',
} as const

/** `parse/2` in Elixir, in a process of its own. */
export const elixir: ParserKindOf<'elixir'> = {
  read: ({ remote }, driver, packets, options) =>
    readOutside(remote?.elixir, nothingRuns, driver, packets, options),
  inspect: async (tools, script, accountId) => {
    const problem = await tools.elixir.check(script, accountId)
    return { ok: problem === null, family: null, stateful: false, problem }
  },
  isMissing: async (tools) => (await tools.elixir.missing()) !== null,
  open: (platform) => new ElixirParsers(platform.elixir),
  isApart: true,
  passingFailures: ['PARSER_ELIXIR_OVER_BUDGET'],
}
