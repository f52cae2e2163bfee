import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import { scopeChoices } from './scopes.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Explanation = Outputs['user']['explainAccess']['items'][number]

/** Scopes visible to the user. */
export function useScopes() {
  return useQuery(api.acl.listScopes.queryOptions({ staleTime: 60_000 }))
}

/** The visible scopes as choices, each labelled with its path. */
export function useScopeChoices(): { value: string; label: string }[] {
  const { data } = useScopes()
  return useMemo(() => scopeChoices(data?.items ?? []), [data])
}
