/** Exports for later features. */
export { BrandPart } from './parts.ts'
export { brandScreens } from './slots.ts'
