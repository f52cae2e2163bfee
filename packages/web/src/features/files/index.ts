/** Exports for later features and `app/slots.ts`. */
export { DeviceFiles, DriverFiles, GroupFiles, TicketFiles, TwinFiles } from './parts.tsx'
