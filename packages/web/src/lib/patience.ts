import { clientTimeoutOf } from '@leitstand/contract/timeouts'
import type { AnyContractRouter } from '@orpc/contract'

interface Node {
  '~orpc'?: { meta: { clientTimeoutMs?: number } }
  [key: string]: unknown
}

/**
 * Timeout of a call, in milliseconds. The server's own timeout is half of it.
 * @param path of the operation in the contract, e.g. `['virtualdevice', 'list']`
 */
export function patienceFor(contract: AnyContractRouter, path: readonly string[]): number {
  const operation = path.reduce<Node | undefined>(
    (node, key) => node?.[key] as Node | undefined,
    contract as unknown as Node,
  )
  return clientTimeoutOf(operation?.['~orpc']?.meta ?? {})
}
