import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api, client } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Driver = Outputs['devicedrivers']['get']
export type DriverRow = Outputs['devicedrivers']['list']['items'][number]
export type Acceptance = Outputs['devicedrivers']['acceptances']['items'][number]
export type DriverVersion = Driver['versions'][number]
export type Golden = Driver['golden'][number]
export type Variable = Driver['variables'][number]
export type ParseReply = Outputs['dispatcher']['parse']
export type ParseResult = ParseReply['results'][number]
export type RecentPacket = Outputs['dispatcher']['recentPackets']['items'][number]
export type Encoding = Golden['encoding']

export function invalidateDrivers(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.devicedrivers.key() })
}

interface Option {
  value: string
  label: string
}

const found = 20

/** Drivers by title, manufacturer or model, for pickers. */
export async function findDrivers(search: string): Promise<Option[]> {
  const page = await client.devicedrivers.list({ search: search || undefined, limit: found })
  return page.items.map((driver) => ({ value: String(driver.id), label: driver.title }))
}

export async function driverTitle(id: string): Promise<string> {
  return (await client.devicedrivers.get({ id: Number(id) })).title
}
