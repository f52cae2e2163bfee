/** Exports for other screens. */
export { ResponsibleSection } from './ResponsibleSection.tsx'
