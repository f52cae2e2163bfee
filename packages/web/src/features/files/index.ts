/** Exports for later features and `app/slots.ts`. */
export { DeviceFiles, DriverFiles, TwinFiles } from './parts.tsx'
