/** Exports for later features and `app/slots.ts`. */
export { CheckedRows } from './CheckStep.tsx'
export { FileStep } from './FileStep.tsx'
export { JobTitle, proposedTitle, titleFits } from './JobTitle.tsx'
export { bulkEdit, bulkEditTwins, importWizard, UndoEdit } from './parts.ts'
