import { hasScript } from '@leitstand/contract/parsers'
import type { Driver } from '../queries.ts'

/** A version's parser as text. */
export function sourceOf({
  parser,
  script,
  calculated,
}: Pick<Driver, 'parser' | 'script' | 'calculated'>): string {
  const source = hasScript(parser.kind) ? script : JSON.stringify(parser, null, 2)
  return [source, ...calculated.map(({ key, expression }) => `${key} = ${expression}`)].join('\n')
}
