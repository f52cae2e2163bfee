/** Exports for later features and `app/slots.ts`. */
export { AccessEditor } from './AccessEditor.tsx'
export type { AccessLine } from './accessLines.ts'
export { ExplainPanel } from './ExplainPanel.tsx'
export { defaultRolesSection } from './parts.ts'
export { scopeChoices } from './scopes.ts'
