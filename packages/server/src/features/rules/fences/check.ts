import { lacksPolygon } from '@leitstand/contract/geoPolygon'
import type { RuleTrigger } from '@leitstand/contract/rules'
import type { Executor } from '../../../platform/db/index.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { bothScopes } from '../../twins/index.ts'
import { readAreas } from '../store/fences.ts'
import { twinsOf } from '../triggers/geofence/index.ts'
import { fencesOf } from '../triggers/index.ts'
import type { Issue } from '../types.ts'

/** Zones and twins that geofences cannot refer to: those the caller may not see do not exist. */
export async function fenceIssues(
  db: Executor,
  caller: Caller,
  rule: { triggers: readonly RuleTrigger[] },
): Promise<Issue[]> {
  const fences = fencesOf(rule)
  const ids = fences.flatMap(({ fence }) => twinsOf(fence.area))
  if (ids.length === 0) return []
  const known = await readAreas(db, bothScopes(caller, 'read'), [...new Set(ids)])
  return fences.flatMap(({ fence: { area }, at }): Issue[] => {
    const path = ['triggers', String(at), 'area']
    if (area.kind === 'circle') return []
    if (area.kind === 'twin') {
      if (known.has(area.twinId)) return []
      const message = `there is no twin ${area.twinId}`
      return [{ path: [...path, 'twinId'], message, text: 'fenceTwinGone' }]
    }
    return area.zoneIds.flatMap((id, index): Issue[] => {
      const zone = known.get(id)
      const at = { path: [...path, 'zoneIds', String(index)] }
      if (zone === undefined || zone.type !== 'zone')
        return [{ ...at, message: `there is no zone ${id}`, text: 'fenceZoneGone' }]
      if (!lacksPolygon({ type: zone.type, geoPolygon: zone.hasPolygon ? zone : null })) return []
      const { title } = zone
      return [
        { ...at, message: `zone ${title} has no polygon`, text: 'fenceZoneBare', params: { zone: title } },
      ]
    })
  })
}
