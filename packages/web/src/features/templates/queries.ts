import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api, client } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Template = Outputs['deviceTemplate']['get']
export type TemplateRow = Outputs['deviceTemplate']['list']['items'][number]
export type TemplateContent = Template['draft']
export type TemplateState = TemplateContent['states'][number]
export type TemplateRule = TemplateContent['rules'][number]
export type TemplateChange = Outputs['deviceTemplate']['changes']['items'][number]
export type LinkedDevice = Outputs['deviceTemplate']['fetchLinkedDevices']['items'][number]

interface Option {
  value: string
  label: string
}

const found = 20

/** Filter for a template picker. */
interface TemplateWish {
  accountIds?: number[]
  connectorIds?: number[]
  driverIds?: number[]
  /** only those that devices can be created from and linked to */
  productive?: boolean
}

/** Templates by title, for pickers. */
export async function findTemplates(search: string, wish: TemplateWish = {}): Promise<Option[]> {
  const { items } = await client.deviceTemplate.list({
    limit: found,
    orderBy: 'title',
    ...(search ? { search } : {}),
    ...(wish.accountIds ? { accountIds: wish.accountIds } : {}),
    ...(wish.connectorIds ? { connectorIds: wish.connectorIds } : {}),
    ...(wish.driverIds ? { driverIds: wish.driverIds } : {}),
    ...(wish.productive === undefined ? {} : { productive: wish.productive }),
  })
  return items.map((template) => ({ value: String(template.id), label: template.title }))
}

export async function templateTitle(id: string): Promise<string> {
  return (await client.deviceTemplate.get({ id: Number(id) })).title
}

/** While devices are being updated, drop previously read data so that it is not shown again. */
export function forgetDevices(cache: QueryClient): void {
  cache.removeQueries({ queryKey: api.virtualdevice.key(), type: 'inactive' })
}

/** After a template changed: invalidates all data that shows templates. */
export function invalidateTemplates(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.deviceTemplate.key() })
}
