import { type Parser, type ParserKind, type ParserOf, parserKinds } from '@leitstand/contract/parsers'
import { elixir } from './elixir/index.tsx'
import { functionParser } from './function/index.tsx'
import { multi } from './multi/index.tsx'
import { single } from './single/index.tsx'
import type { ConsoleParser } from './types.ts'
import { unset } from './unset/index.ts'
import { url } from './url/index.tsx'

type Values = Record<string, unknown>

/** Every kind of parser there is. */
const list: { readonly [K in ParserKind]: ConsoleParser<object, ParserOf<K>> } = {
  single,
  multi,
  function: functionParser,
  url,
  elixir,
  unset,
}

/** The same without the types of their values and parsers, which fit the kind beside them. */
export const kinds = list as unknown as Readonly<Record<ParserKind, ConsoleParser<Values, Parser>>>

export { type ParserKind, parserKinds }

/** A parser of any kind as its form has it. */
export interface ParserValues extends Values {
  kind: ParserKind
}

/** Where a parser of a kind starts. */
export function emptyParser(kind: ParserKind): ParserValues {
  return { ...kinds[kind].empty(), kind }
}

export function toParserValues(parser: Parser): ParserValues {
  return { ...kinds[parser.kind].toValues(parser), kind: parser.kind }
}

export function toParser(values: ParserValues): Parser {
  return kinds[values.kind].toParser(values)
}

/** Where packets of a parser leave the platform for; undefined: they stay. */
export function addressOf(parser: Parser): string | undefined {
  return kinds[parser.kind].addressOf?.(parser)
}
