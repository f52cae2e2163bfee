/** Exports for later features and `app/slots.ts`. */
export { DecodeOfDevice, DecodeOfDriver, decodeSelected } from './parts.tsx'
