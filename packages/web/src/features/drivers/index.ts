/** Exports for the screens of devices and templates. */
export { BytesPreview } from './downlinks/BytesPreview.tsx'
export { ValueFields } from './downlinks/ValueFields.tsx'
export { firstValues } from './downlinks/values.ts'
export { EntryRule, HealthEditor } from './health/HealthEditor.tsx'
export { lengthOf } from './lengthOf.ts'
export { driverTitle, findDrivers } from './queries.ts'
export { VersionSelect } from './VersionSelect.tsx'
export { TextDiff } from './versions/TextDiff.tsx'
