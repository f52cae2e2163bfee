/** What other screens use of responsible users. */
export { ResponsibleSection } from './ResponsibleSection.tsx'
