import { CalculatedList, Parser } from '@leitstand/contract/parsers'
import type { DriverValues } from '../values.ts'
import { hasSource, toParser } from './parser-values.ts'

/** What is tried; the rest of a driver does not matter to it. */
export type Tried = Pick<DriverValues, 'parser' | 'script' | 'calculated' | 'parserSecret'>

/** What the API is asked to try; null while something of it is missing. */
export function toTrial({ parser, script, calculated, parserSecret }: Tried) {
  const read = Parser.safeParse(toParser(parser))
  if (!read.success || (hasSource(parser.kind) && script.trim() === '')) return null
  // Rows that have just been added.
  const written = calculated.filter(({ key, expression }) => key !== '' && expression.trim() !== '')
  const list = CalculatedList.safeParse(written)
  const token = parser.kind === 'url' && parserSecret ? { parserSecret } : {}
  return list.success ? { parser: read.data, script, calculated: list.data, ...token } : null
}
