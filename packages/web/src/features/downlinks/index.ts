/** Exports for later features and `app/slots.ts`. */
export { downlinksTab } from './parts.ts'
