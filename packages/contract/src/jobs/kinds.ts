interface JobKindDefinition {
  /** whether it has a row for each device or twin, see `/background-jobs/{id}/rows` */
  readonly hasRows: boolean
  /** its rows are digital twins; absent: virtual devices */
  readonly ofTwins?: true
  /** keys of its `result`, the most important first */
  readonly results: readonly string[]
}

/**
 * Every kind of background job. The feature that owns a kind defines what it does on the server
 * (`jobs.define`); the server does not start without it.
 */
export const jobKinds = {
  /** devices changed or deleted */
  'virtualdevice-bulk-edit': { hasRows: true, results: ['done', 'unchanged', 'failed'] },
  /** devices linked to a template */
  'virtualdevice-bulk-link': { hasRows: true, results: ['done', 'failed'] },
  /** devices synchronised with their template */
  'device-template-sync': { hasRows: true, results: ['done', 'unchanged', 'failed'] },
  /** devices deleted here and at their network servers */
  'virtualdevice-bulk-delete-remotely': { hasRows: true, results: ['done', 'failed'] },
  /** devices created from a file or a network server */
  'virtualdevice-bulk-import': { hasRows: true, results: ['done', 'failed'] },
  /** twins changed or deleted */
  'digitaltwin-bulk-edit': { hasRows: true, ofTwins: true, results: ['done', 'unchanged', 'failed'] },
  /** a bulk edit of twins undone; unchanged: left alone, because it has changed since */
  'digitaltwin-bulk-undo': { hasRows: true, ofTwins: true, results: ['done', 'unchanged', 'failed'] },
  /** twins copied with everything below them */
  'digitaltwin-duplicate': { hasRows: true, ofTwins: true, results: ['done', 'failed'] },
  /** twins copied once per row of a file */
  'digitaltwin-bulk-duplicate': { hasRows: true, ofTwins: true, results: ['done', 'failed'] },
  /** twins synchronised with another one */
  'digitaltwin-synchronize': { hasRows: true, ofTwins: true, results: ['done', 'unchanged', 'failed'] },
  /** the values of a state in another unit */
  'state-values-convert': { hasRows: false, results: ['valuesChanged', 'valuesRefused', 'aggregates'] },
  /** values of a state deleted */
  'state-values-delete': { hasRows: false, results: ['valuesDeleted', 'valuesChanged', 'aggregates'] },
  /** what is computed from a corrected value */
  'state-values-correct': { hasRows: false, results: ['valuesChanged', 'aggregates'] },
  /** values from a file */
  'state-values-upload': {
    hasRows: false,
    results: ['valuesAdded', 'valuesChanged', 'valuesRefused', 'aggregates'],
  },
  /** stored packets decoded again */
  'packets-decode': {
    hasRows: false,
    results: [
      'decoded',
      'changed',
      'errors',
      'valuesChanged',
      'valuesAdded',
      'valuesDeleted',
      'valuesRefused',
      'aggregates',
    ],
  },
  /** a dashboard as PDF */
  'dashboard-print': { hasRows: false, results: [] },
  /** a rule run on the past */
  'rule-past': { hasRows: false, results: ['fired', 'throttled'] },
  /** values of one device or twin as a file */
  'device-states-export': { hasRows: false, results: ['rows'] },
  /** values of many devices or twins as a file */
  'bulk-device-states-export': { hasRows: false, results: ['rows'] },
  /** the demo city deleted */
  'demo-remove': { hasRows: false, results: ['done'] },
  'dead-letters-replay': {
    hasRows: false,
    results: ['stored', 'partly', 'duplicates', 'dropped', 'withErrors', 'failed'],
  },
} as const satisfies Record<string, JobKindDefinition>

export type JobType = keyof typeof jobKinds
export const jobTypes = Object.keys(jobKinds) as [JobType, ...JobType[]]
