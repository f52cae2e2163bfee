import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import { distinctUses, type Use } from '../../platform/uses.ts'

/** What is wrong with a widget, and where. */
export interface Issue {
  path: string[]
  message: string
}

const optionsOf = {
  empty: [],
  chart: ['chartOptions'],
  'twin-table': ['twinTableOptions'],
  value: ['valueOptions'],
  'twin-map': ['twinMapOptions'],
  'nested-dashboard': [],
} as const satisfies Record<WidgetDefinition['type'], readonly (keyof WidgetDefinition)[]>

const allOptions = ['chartOptions', 'valueOptions', 'twinTableOptions', 'twinMapOptions'] as const

/** The definition with the options of its own type only: those of a type it had before would name states nobody sees. */
export function withOwnOptions(definition: WidgetDefinition): WidgetDefinition {
  const own: readonly string[] = optionsOf[definition.type]
  const foreign = allOptions.filter((name) => !own.includes(name))
  return Object.fromEntries(
    Object.entries(definition).filter(([name]) => !(foreign as string[]).includes(name)),
  ) as WidgetDefinition
}

/** Checks what a schema cannot say: a gauge's limits and thresholds, which lie strictly between them. */
export function checkDefinition({ type, chartOptions }: WidgetDefinition): Issue[] {
  if (type !== 'chart' || chartOptions?.kind !== 'gauge') return []
  const { min, max, lowerThreshold, upperThreshold } = chartOptions
  const issues: Issue[] = []
  const add = (field: string, message: string) => issues.push({ path: ['chartOptions', field], message })
  if (min !== undefined && max !== undefined && min >= max) add('max', 'must be above min')
  for (const [field, value] of Object.entries({ lowerThreshold, upperThreshold })) {
    if (value === undefined) continue
    if (min !== undefined && value <= min) add(field, 'must be above min')
    if (max !== undefined && value >= max) add(field, 'must be below max')
  }
  if (lowerThreshold !== undefined && upperThreshold !== undefined && lowerThreshold >= upperThreshold) {
    add('upperThreshold', 'must be above the lower threshold')
  }
  return issues
}

/** States and twins a widget names. */
export function referencesOf(definition: WidgetDefinition): { stateIds: number[]; twinIds: number[] } {
  const { chartOptions, valueOptions, twinTableOptions: table, twinMapOptions: map } = definition
  const parents = [table?.parentTwinId, map?.parentTwinId].filter((id) => id !== undefined)
  return {
    stateIds: [...new Set([...(chartOptions?.stateIds ?? []), ...(valueOptions?.stateIds ?? [])])],
    twinIds: [...new Set([...parents, ...(table?.twinIds ?? []), ...(map?.twinIds ?? [])])],
  }
}

/** What a widget refers to. */
export function usesOfWidget(definition: WidgetDefinition): Use[] {
  const { twinTableOptions: table, twinMapOptions: map } = definition
  const { stateIds } = referencesOf(definition)
  const twinIds = [...(table?.twinIds ?? []), ...(map?.twinIds ?? [])]
  const parentIds = [table?.parentTwinId, map?.parentTwinId].filter((id) => id !== undefined)
  return distinctUses([
    ...stateIds.map((id): Use => ({ kind: 'state', id, note: 'shows' })),
    ...twinIds.map((id): Use => ({ kind: 'twin', id, note: 'shows' })),
    ...parentIds.map((id): Use => ({ kind: 'twin', id, note: 'below' })),
  ])
}
