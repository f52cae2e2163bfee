import type { contract } from '@leitstand/contract'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type Template = Outputs['deviceTemplate']['get']
export type TemplateRow = Outputs['deviceTemplate']['list']['items'][number]
export type TemplateContent = Template['draft']
export type TemplateState = TemplateContent['states'][number]
export type TemplateRule = TemplateContent['rules'][number]
export type TemplateChange = Outputs['deviceTemplate']['changes']['items'][number]
export type LinkedDevice = Outputs['deviceTemplate']['fetchLinkedDevices']['items'][number]

/** While devices are being updated, drop previously read data so that it is not shown again. */
export function forgetDevices(cache: QueryClient): void {
  const keys = [api.virtualdevice.key(), api.health.key(), api.bridge.reception.key()]
  for (const queryKey of keys) cache.removeQueries({ queryKey, type: 'inactive' })
}

/** After a template changed: invalidates all data that shows templates. */
export function invalidateTemplates(cache: QueryClient): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.deviceTemplate.key() })
}
