/** What the screens of devices use of those of drivers. */
export { BytesPreview } from './downlinks/BytesPreview.tsx'
export { ValueFields } from './downlinks/ValueFields.tsx'
export { firstValues } from './downlinks/values.ts'
export { EntryRule, HealthEditor } from './health/HealthEditor.tsx'
export { lengthOf } from './lengthOf.ts'
