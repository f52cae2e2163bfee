/** What the screens of devices use of those of drivers. */
export { roughDuration } from './health/entries.ts'
export { EntryRule, HealthEditor } from './health/HealthEditor.tsx'
