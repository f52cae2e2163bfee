/** Exports for `app/slots.ts`. */
export { signOnTab } from './parts.ts'
