import { addressOf } from '../parser/kinds/index.ts'
import type { Driver } from '../queries.ts'

type Parser = Driver['parser']

/** What somebody has to know before a stranger's version reads their packets. */
interface Warning {
  /** `host`: packets leave the platform; `kind`: they are read by another kind of parser */
  kind: 'host' | 'kind'
  details: { host: string; kind: Parser['kind'] }
}

/** What a change of parser means for those whose packets it reads, worst first. */
export function warningsOf(before: Parser, after: Parser): Warning[] {
  const address = addressOf(after)
  const details = { host: address === undefined ? '' : hostOf(address), kind: after.kind }
  return [
    ...(address === undefined ? [] : [{ kind: 'host' as const, details }]),
    ...(before.kind === after.kind ? [] : [{ kind: 'kind' as const, details }]),
  ]
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
