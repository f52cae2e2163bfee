import type { Rule } from '@leitstand/contract/rules'
import { thingPath } from '../../lib/recent.ts'

type Owned = Pick<Rule, 'dtwinId' | 'twinTitle' | 'twinCategory' | 'template'>

/** What a rule belongs to: a twin, a device or a template. */
export function homeOf({ dtwinId, twinTitle, twinCategory, template }: Owned): {
  title: string
  path: string
} {
  return dtwinId === null
    ? { title: template?.title ?? '', path: `/device-templates/${template?.id ?? ''}?tab=rules` }
    : { title: twinTitle, path: thingPath(twinCategory, dtwinId) }
}

/** Where a rule is shown in full: with its twin or, if it is of a template, with its devices in the monitor. */
export function rulePath(ruleId: number, { dtwinId, twinCategory }: Owned): string {
  return dtwinId === null
    ? `/digitaltwin/rules-monitor?twins=${ruleId}`
    : `${thingPath(twinCategory, dtwinId)}?tab=rules&history=${ruleId}`
}
