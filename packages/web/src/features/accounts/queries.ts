import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Account = Outputs['tenant']['get']
export type Integration = Outputs['tenant']['listIntegrations']['items'][number]
export type AccountDomain = Outputs['tenant']['listDomains']['items'][number]
export type LimitHit = Outputs['tenant']['limitHits']['items'][number]
export type MailSettings = Outputs['tenant']['getMailServer']

/**
 * Invalidates the cache after a change to the account tree.
 * @param goneId a deleted account: it is not read again while the page is still navigating away
 */
export async function invalidateAccounts(cache: QueryClient, goneId?: number): Promise<void> {
  const isAboutGone = (key: readonly unknown[]) => {
    const { input } = (key[1] ?? {}) as { input?: { id?: number } }
    return goneId !== undefined && input?.id === goneId
  }
  for (const queryKey of [api.tenant.key(), api.terms.ofAccount.key()])
    await cache.invalidateQueries({
      queryKey,
      predicate: (query) => !isAboutGone(query.queryKey),
    })
  await cache.invalidateQueries({ queryKey: api.acl.listScopes.key() })
}

export function accountPath(id: number, tab?: 'users'): string {
  return tab ? `/account-mgmt/${id}?tab=${tab}` : `/account-mgmt/${id}`
}

/** Id in an address; NaN, which matches nothing, if there is none. */
export function idOf(text: string | undefined): number {
  return Number.parseInt(text ?? '', 10)
}
