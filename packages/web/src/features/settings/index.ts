/** Exports for later features. */
export { BrandPart } from './parts.ts'
