import { HealthConfig } from '@leitstand/contract/health'
import { CalculatedList, hasScript, Parser } from '@leitstand/contract/parsers'
import type { DriverValues } from '../values.ts'
import { addressOf, toParser } from './kinds/index.ts'

/** What is tried; the rest of a driver does not matter to it. */
export type Tried = Pick<DriverValues, 'parser' | 'script' | 'calculated' | 'parserSecret' | 'health'>

/** What the API is asked to try; null while something of it is missing. */
export function toTrial({ parser, script, calculated, parserSecret, health }: Tried) {
  const read = Parser.safeParse(toParser(parser))
  if (!read.success || (hasScript(parser.kind) && script.trim() === '')) return null
  // Rows that have just been added.
  const written = calculated.filter(({ key, expression }) => key !== '' && expression.trim() !== '')
  const list = CalculatedList.safeParse(written)
  const token = addressOf(read.data) !== undefined && parserSecret ? { parserSecret } : {}
  // While it is being written nothing can be judged by it.
  const config = HealthConfig.safeParse(health)
  const judged = config.success && config.data.entries.length > 0 ? { health: config.data } : {}
  return list.success ? { parser: read.data, script, calculated: list.data, ...token, ...judged } : null
}
