import { manyLimits } from '@leitstand/contract/rules'
import type { RuleFields } from '../store/definitions.ts'
import { fencesOf } from '../triggers/index.ts'

/** How many twins a rule for many can have: each of them may have a side stored for every area of the rule's geofences. */
export function twinsMaxOf(rule: Pick<RuleFields, 'triggers'>): number {
  const areas = fencesOf(rule).map(({ fence }) => fence.area)
  const count = areas.reduce((sum, area) => sum + (area.kind === 'zones' ? new Set(area.zoneIds).size : 1), 0)
  const moving = areas.some(({ kind }) => kind === 'twin') ? manyLimits.movingMax : manyLimits.twinsMax
  return Math.min(moving, manyLimits.twinsMax, Math.floor(manyLimits.areaTwinsMax / Math.max(1, count)))
}
