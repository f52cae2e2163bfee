/** Exports for later features and `app/slots.ts`. */
export { AccessEditor } from './AccessEditor.tsx'
export type { AccessLine } from './accessLines.ts'
export { InsightPanel } from './InsightPanel.tsx'
export { defaultRolesSection, insightTab } from './parts.ts'
export { useScopes } from './queries.ts'
export { scopeChoices, scopePaths } from './scopes.ts'
