import { type JobType, jobTypes } from '@leitstand/contract/jobs/kinds'

export type JobTab = 'devices' | 'imports' | 'twins'

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
  'dead-letters-replay': 'devices',
}

/** Job kinds of a tab. */
export function kindsOf(tab: JobTab): JobType[] {
  return jobTypes.filter((type) => tabs[type] === tab)
}
