import { type JobType, jobTypes } from '@leitstand/contract/jobs/kinds'

/** The tabs of the specification; `hub`: exports of the classic hub, last while it is not there. */
export const jobTabs = ['exports', 'devices', 'imports', 'twins', 'hub'] as const
export type JobTab = (typeof jobTabs)[number]

/** The tab in which jobs of a kind are listed. Their texts are `jobs.type.<kind>` and `jobs.result.<result>`. */
const tabs: Readonly<Record<JobType, JobTab>> = {
  'virtualdevice-bulk-edit': 'devices',
  'virtualdevice-bulk-link': 'devices',
  'device-template-sync': 'devices',
  'virtualdevice-bulk-delete-remotely': 'devices',
  'virtualdevice-bulk-import': 'imports',
  'digitaltwin-bulk-edit': 'twins',
  'digitaltwin-bulk-undo': 'twins',
  'digitaltwin-duplicate': 'twins',
  'digitaltwin-bulk-duplicate': 'twins',
  'digitaltwin-synchronize': 'twins',
  'state-values-convert': 'twins',
  'state-values-delete': 'twins',
  'state-values-correct': 'twins',
  'state-values-upload': 'imports',
  'packets-decode': 'devices',
  'rule-past': 'twins',
  'device-states-export': 'exports',
  'bulk-device-states-export': 'exports',
  'dashboard-print': 'exports',
  'dead-letters-replay': 'devices',
  'demo-remove': 'devices',
}

/** Job kinds of a tab. */
export function kindsOf(tab: JobTab): JobType[] {
  return jobTypes.filter((type) => tabs[type] === tab)
}
