import * as z from 'zod'
import { elixir } from './elixir.ts'
import { functionParser } from './function.ts'
import type { Field } from './layouts.ts'
import { multi } from './multi.ts'
import { single } from './single.ts'
import type { ParserKindDefinition } from './types.ts'
import { unset } from './unset.ts'
import { url } from './url.ts'

/** Every kind of parser. */
const kinds = { single, multi, function: functionParser, url, elixir, unset }

export type ParserKind = keyof typeof kinds
export const parserKinds = Object.keys(kinds) as [ParserKind, ...ParserKind[]]

type Schema = (typeof kinds)[ParserKind]['schema']

/** How a driver parses packets. */
export const Parser = z.discriminatedUnion(
  'kind',
  Object.values(kinds).map(({ schema }) => schema) as [Schema, ...Schema[]],
)
export type Parser = z.infer<Schema>
/** A parser of one kind. */
export type ParserOf<K extends ParserKind> = Extract<Parser, { kind: K }>

/** Whether parsers of a kind are written as a script. */
export function hasScript(kind: ParserKind): boolean {
  return kinds[kind].hasScript
}

/** The fields of a parser, as far as they are known without running it: those of its layouts. */
export function fieldsOf(parser: Parser): readonly Field[] {
  const kind: ParserKindDefinition<z.ZodType<Parser>> = kinds[parser.kind]
  return kind.fields(parser)
}
