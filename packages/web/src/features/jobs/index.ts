/** What other screens use of background jobs. */
export { faultText } from './faults.ts'
export { JobPanel } from './JobPanel.tsx'
export { JobResults } from './JobResults.tsx'
