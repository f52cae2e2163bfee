import { addressOf } from '../parser/kinds/index.ts'
import type { Driver } from '../queries.ts'

type Parser = Driver['parser']

/** A risk to know before another author's version decodes the user's packets. */
interface Warning {
  /** `host`: packets are sent to an external address; `kind`: another kind of parser decodes them */
  kind: 'host' | 'kind'
  details: { host: string; kind: Parser['kind'] }
}

/** Risks of a parser change for accounts that use it, worst first. */
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
