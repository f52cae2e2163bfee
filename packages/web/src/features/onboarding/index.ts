/** Exports for `app/slots.ts`. */
export { createWizard } from './parts.ts'
