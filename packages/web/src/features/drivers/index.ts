/** What the screens of devices use of those of drivers. */
export { BytesPreview } from './downlinks/BytesPreview.tsx'
export { ValueFields } from './downlinks/ValueFields.tsx'
export { firstValues } from './downlinks/values.ts'
export { roughDuration } from './health/entries.ts'
export { EntryRule, HealthEditor } from './health/HealthEditor.tsx'
