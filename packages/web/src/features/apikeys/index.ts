/** Exports for `app/slots.ts`. */
export { keysTab } from './parts.tsx'
