/** Exports for later features and `app/slots.ts`. */
export { healthTab, StateOrigin } from './parts.ts'
