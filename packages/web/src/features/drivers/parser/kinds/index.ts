import { type Parser, type ParserKind, type ParserOf, parserKinds } from '@leitstand/contract/parsers'
import { elixir } from './elixir/index.tsx'
import { functionParser } from './function/index.tsx'
import { multi } from './multi/index.tsx'
import { single } from './single/index.tsx'
import type { ConsoleParser } from './types.ts'
import { unset } from './unset/index.ts'
import { url } from './url/index.tsx'

type Values = Record<string, unknown>

/** All kinds of parsers. */
const list: { readonly [K in ParserKind]: ConsoleParser<object, ParserOf<K>> } = {
  single,
  multi,
  function: functionParser,
  url,
  elixir,
  unset,
}

/** Erases the types of values and parsers; each kind is only used with its own. */
export const kinds = list as unknown as Readonly<Record<ParserKind, ConsoleParser<Values, Parser>>>

export { type ParserKind, parserKinds }

/** Form values of a parser of any kind. */
export interface ParserValues extends Values {
  kind: ParserKind
}

/** A new parser of a kind. */
export function emptyParser(kind: ParserKind): ParserValues {
  return { ...kinds[kind].empty(), kind }
}

export function toParserValues(parser: Parser): ParserValues {
  return { ...kinds[parser.kind].toValues(parser), kind: parser.kind }
}

export function toParser(values: ParserValues): Parser {
  return kinds[values.kind].toParser(values)
}

/** The external address packets are sent to; undefined: they stay on the platform. */
export function addressOf(parser: Parser): string | undefined {
  return kinds[parser.kind].addressOf?.(parser)
}
