import type { contract } from '@leitstand/contract'
import type { ConnectorKind, ConnectorState, Preset } from '@leitstand/contract/bridge'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Connector = Outputs['bridge']['get']
export type Traffic = Outputs['bridge']['traffic']['items'][number]
export type StatusEntry = Outputs['bridge']['logs']['items'][number]
export type Validation = Outputs['bridge']['validate']
export type { ConnectorKind, ConnectorState, Preset }

/** Kinds with their capabilities; they change only with a new version of the platform. */
export function useConnectorTypes() {
  return useQuery(api.bridge.types.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
}

export async function invalidateConnectors(cache: QueryClient): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({ queryKey: api.bridge.key() }),
    cache.invalidateQueries({ queryKey: api.letters.key() }),
    cache.invalidateQueries({ queryKey: api.remote.key() }),
  ])
}
