import type { UseFormReturnType } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import type { DeviceValues } from '../devices/index.ts'
import type { Template } from '../templates/index.ts'
import { taken } from './taken.ts'

/** Maximum templates shown as cards; the others are found by searching. */
const shown = 24

/** Templates for devices of a connector. */
export function templatesOf(connectorId: number, search = '') {
  return api.deviceTemplate.list.queryOptions({
    input: {
      connectorIds: [connectorId],
      productive: true,
      orderBy: 'title' as const,
      limit: shown,
      ...(search ? { search } : {}),
    },
  })
}

/** Properties a device of the template must have a value for. */
export function required(template: Template) {
  return template.productive?.properties ?? []
}

/** The selected template, if any; preset by the address if a link led here (`&template=3`). */
export function useTemplateChoice(connectorId: string | null) {
  const [search] = useUrlSearch()
  const cache = useQueryClient()
  const can = useCan()
  const reads = can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')
  const [chosen, setChosen] = useState<string | null>(one(search, 'template') ?? null)
  const offered = useQuery({ ...templatesOf(Number(connectorId)), enabled: reads && connectorId !== null })
  const areThere = (offered.data?.total ?? 0) > 0
  const picked = useQuery({
    ...api.deviceTemplate.get.queryOptions({ input: { id: Number(chosen) } }),
    enabled: reads && chosen !== null,
  })
  const found = chosen === null ? undefined : picked.data
  // Ignore a template of another connector, selected before the connector was.
  const template = areThere && String(found?.connectorId) === connectorId ? found : undefined
  return {
    template,
    chosen: areThere ? chosen : null,
    areThere,
    choose: setChosen,
    /** Loads the templates: whether there are any decides the next step. */
    look: async () => {
      if (reads && connectorId !== null) await cache.ensureQueryData(templatesOf(Number(connectorId)))
      return true
    },
    /** Fills empty fields with the template's values. */
    take: async (form: UseFormReturnType<DeviceValues>) => {
      if (chosen === null || !areThere) return true
      const { productive: content } = await cache.ensureQueryData(
        api.deviceTemplate.get.queryOptions({ input: { id: Number(chosen) } }),
      )
      if (!content) return false
      form.setValues(taken(content, form.getValues()))
      return true
    },
  }
}
