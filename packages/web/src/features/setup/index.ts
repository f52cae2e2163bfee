/** Exports for later features. */
export { SetupOffer } from './parts.ts'
