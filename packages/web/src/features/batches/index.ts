/** Exports for later features and `app/slots.ts`. */
export { JobTitle, titleFits } from './JobTitle.tsx'
export { bulkEdit, importWizard } from './parts.ts'
