import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Device = Outputs['virtualdevice']['get']
export type DeviceRow = Outputs['virtualdevice']['list']['items'][number]
export type DriverChange = Outputs['virtualdevice']['driverChange']
export type DevicePacket = Outputs['virtualdevice']['packets']['items'][number]
export type DeviceState = Outputs['digitaltwin']['states']['items'][number]
export type ConnectorRow = Outputs['bridge']['list']['items'][number]
export type DriverRow = Outputs['devicedrivers']['list']['items'][number]

/** After a device changed: invalidates all data that shows devices. */
export async function invalidateDevices(cache: QueryClient): Promise<void> {
  const keys = [
    api.virtualdevice.key(),
    api.health.key(),
    api.bridge.reception.key(),
    api.deviceTemplate.previewLink.key(),
  ]
  await Promise.all(keys.map((queryKey) => cache.invalidateQueries({ queryKey })))
}

/** A connector as visible to users who only select one; undefined while loading. */
export function useConnector(accountId: number, connectorId: number): ConnectorRow | undefined {
  const connectors = useQuery({
    ...api.bridge.list.queryOptions({ input: { accountIds: [accountId], limit: 1000 }, staleTime: 30_000 }),
    enabled: accountId > 0 && connectorId > 0,
  })
  return connectors.data?.items.find(({ id }) => id === connectorId)
}
