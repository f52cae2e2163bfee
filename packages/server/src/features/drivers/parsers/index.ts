import type { ErrorCode } from '@leitstand/contract/errors'
import { type Parser, type ParserKind, parserKinds } from '@leitstand/contract/parsers'
import type { Context } from '../../../platform/context.ts'
import type { ParserTools } from '../run.ts'
import { elixir } from './elixir/index.ts'
import { functionParser } from './function/index.ts'
import { multi } from './multi/index.ts'
import { single } from './single/index.ts'
import type { ParserKindOf } from './types.ts'
import { unset } from './unset/index.ts'
import { url } from './url/index.ts'

/** All kinds of parsers. */
const kinds: { readonly [K in ParserKind]: ParserKindOf<K> } = {
  single,
  multi,
  function: functionParser,
  url,
  elixir,
  unset,
}

/** The kind of a parser, without the type of its settings: those are parsed with its schema. */
export function kindOf({ kind }: Pick<Parser, 'kind'>): ParserKindOf<ParserKind> {
  return kinds[kind] as ParserKindOf<ParserKind>
}

/** Kinds with remote parsers, for which packets must wait. */
export const remoteKinds: readonly ParserKind[] = parserKinds.filter((kind) => kinds[kind].open !== undefined)

/** Codes of temporary failures: the same packet may succeed later. */
export const passingFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SCRIPT_ENGINE_BUSY',
  ...parserKinds.flatMap((kind) => kinds[kind].passingFailures ?? []),
])

/** Remote parsers by kind. */
export class RemoteParsers implements AsyncDisposable {
  readonly byKind: NonNullable<ParserTools['remote']>
  readonly #opened: readonly Partial<AsyncDisposable>[]

  constructor(platform: Context) {
    const opened = remoteKinds.map((kind) => [kind, kindOf({ kind }).open?.(platform)] as const)
    this.byKind = Object.fromEntries(opened)
    this.#opened = opened.flatMap(([, parser]) => parser ?? [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.map((parser) => parser[Symbol.asyncDispose]?.()))
  }
}
