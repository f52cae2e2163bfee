/** What other screens use of background jobs. */
export { JobPanel } from './JobPanel.tsx'
