import { onDemand } from '../../lib/onDemand.ts'

/** Exports for other screens. */
export { faultText } from './faults.ts'
export { JobPanel } from './JobPanel.tsx'
export { JobResults } from './JobResults.tsx'
export { jobActions, jobListActions } from './slots.ts'

export const FaultyJobs = onDemand(() => import('./FaultyJobs.tsx'))
