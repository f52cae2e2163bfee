import { type GeofenceTrigger, isDwelling, isProximity } from '@leitstand/contract/rules/triggers/geofence'
import type { Use } from '../../../../platform/uses.ts'
import type { Issue } from '../../types.ts'
import type { TriggerDefinition } from '../types.ts'

export const geofence: TriggerDefinition<GeofenceTrigger> = {
  check({ mode, minutes, distance }) {
    const issues: Issue[] = []
    if (isDwelling(mode) && minutes === undefined)
      issues.push({ path: ['minutes'], message: `${mode} needs minutes`, text: 'fenceMinutes' })
    if (isProximity(mode) && distance === undefined)
      issues.push({ path: ['distance'], message: `${mode} needs a distance`, text: 'fenceDistance' })
    return issues
  },
  fence: (trigger) => trigger,
  uses: ({ area }) => twinsOf(area).map((id): Use => ({ kind: 'twin', id, note: 'watches' })),
}

/** The zones of an area, or the twin it is around. */
export function twinsOf(area: GeofenceTrigger['area']): number[] {
  if (area.kind === 'zones') return [...new Set(area.zoneIds)]
  return area.kind === 'twin' ? [area.twinId] : []
}
