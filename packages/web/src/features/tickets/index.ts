/** Exports for `app/slots.ts`. */
export { TicketButton, ticketsTab } from './parts.tsx'
