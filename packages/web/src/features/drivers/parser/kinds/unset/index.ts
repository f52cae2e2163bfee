import type { ParserOf } from '@leitstand/contract/parsers'
import type { ConsoleParser } from '../types.ts'

/** No parser yet. */
export const unset: ConsoleParser<object, ParserOf<'unset'>> = {
  empty: () => ({}),
  toValues: () => ({}),
  toParser: () => ({ kind: 'unset' }),
}
