/** Exports for `app/slots.ts`. */
export { ticketsTab } from './parts.tsx'
