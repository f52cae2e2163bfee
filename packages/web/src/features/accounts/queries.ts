import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import { scopePaths } from './scopes.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Account = Outputs['tenant']['get']
export type Integration = Outputs['tenant']['listIntegrations']['items'][number]
export type AccountDomain = Outputs['tenant']['listDomains']['items'][number]
export type LimitHit = Outputs['tenant']['limitHits']['items'][number]
export type MailSettings = Outputs['tenant']['getMailServer']
export type UserRow = Outputs['user']['list']['items'][number]
export type User = Outputs['user']['get']
export type Scope = Outputs['acl']['listScopes']['items'][number]
export type Explanation = Outputs['user']['explainAccess']['items'][number]

/** Scopes visible to the user. */
export function useScopes() {
  return useQuery(api.acl.listScopes.queryOptions({ staleTime: 60_000 }))
}

/** The visible scopes as choices, each labelled with its path. */
export function useScopeChoices(): { value: string; label: string }[] {
  const { data } = useScopes()
  return useMemo(
    () => [...scopePaths(data?.items ?? [])].map(([id, label]) => ({ value: String(id), label })),
    [data],
  )
}

export function invalidateUsers(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.user.key() })
}

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

export function userPath({ accountId, id }: { accountId: number; id: number }): string {
  return `/account-mgmt/user/${accountId}/${id}`
}

/** Display name of a user. */
export function userName(user: { firstName: string; lastName: string; username: string }): string {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username
}

/** Id in an address; NaN, which matches nothing, if there is none. */
export function idOf(text: string | undefined): number {
  return Number.parseInt(text ?? '', 10)
}
