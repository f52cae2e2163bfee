/** Exports for later features and `app/slots.ts`. */
export { healthTab } from './parts.ts'
