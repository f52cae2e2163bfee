/** Exports for later features and `app/slots.ts`. */
export { DeviceFiles, DriverFiles, GroupFiles, TwinFiles } from './parts.tsx'
