import { differences } from './compare.ts'
import type { Golden, ParseResult } from './queries.ts'

/** How a golden packet fared in a test run. */
export type Verdict = 'waiting' | 'failed' | 'differs' | 'ok'

export function verdictOf(
  packet: Pick<Golden, 'expected'>,
  result: Pick<ParseResult, 'ok' | 'variables'> | undefined,
): Verdict {
  if (!result) return 'waiting'
  if (!result.ok) return 'failed'
  return differences(packet.expected, result.variables).length > 0 ? 'differs' : 'ok'
}
