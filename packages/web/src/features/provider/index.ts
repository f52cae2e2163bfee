/** Exports for `app/slots.ts`. */
export { applicationsTab, GrantedSection } from './parts.tsx'
