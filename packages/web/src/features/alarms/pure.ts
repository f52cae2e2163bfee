import type { Alarm } from '@leitstand/contract/alarms'
import { thingPath } from '../../lib/recent.ts'

/** The page that explains an alarm: the executions of its rule, or the health of its device. */
export function reasonPath({ originCategory, originId, ruleId }: Alarm): string {
  return `${thingPath(originCategory, originId)}?tab=${ruleId === null ? 'health' : `rules&history=${ruleId}`}`
}
