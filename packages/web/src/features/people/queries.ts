import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type UserRow = Outputs['user']['list']['items'][number]
export type User = Outputs['user']['get']

export function invalidateUsers(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.user.key() })
}

export function userPath({ accountId, id }: { accountId: number; id: number }): string {
  return `/account-mgmt/user/${accountId}/${id}`
}

/** Display name of a user. */
export function userName(user: { firstName: string; lastName: string; username: string }): string {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.username
}
