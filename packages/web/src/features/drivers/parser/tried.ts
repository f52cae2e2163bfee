import { HealthConfig } from '@leitstand/contract/health'
import { CalculatedList, hasScript, Parser } from '@leitstand/contract/parsers'
import type { DriverValues } from '../values.ts'
import { addressOf, toParser } from './kinds/index.ts'

/** The parts of a driver that affect a test run. */
export type Tried = Pick<DriverValues, 'parser' | 'script' | 'calculated' | 'parserSecret' | 'health'>

/** Input of the API's test operation; null while incomplete. */
export function toTrial({ parser, script, calculated, parserSecret, health }: Tried) {
  const read = Parser.safeParse(toParser(parser))
  if (!read.success || (hasScript(parser.kind) && script.trim() === '')) return null
  // Skip rows that have just been added.
  const written = calculated.filter(({ key, expression }) => key !== '' && expression.trim() !== '')
  const list = CalculatedList.safeParse(written)
  const token = addressOf(read.data) !== undefined && parserSecret ? { parserSecret } : {}
  // An incomplete configuration cannot be evaluated.
  const config = HealthConfig.safeParse(health)
  const judged = config.success && config.data.entries.length > 0 ? { health: config.data } : {}
  return list.success ? { parser: read.data, script, calculated: list.data, ...token, ...judged } : null
}
