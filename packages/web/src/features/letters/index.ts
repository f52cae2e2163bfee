/** Exports for later features and `app/slots.ts`. */
export { DecodeOfDevice, DecodeOfDriver, deadLettersTab, decodeSelected } from './parts.tsx'
