/** Exports for later features and `app/slots.ts`. */
export { connectorPath } from './connectorPath.ts'
export { errorText } from './entries.ts'
export { diagnosisTab } from './parts.ts'
export type { Connector } from './queries.ts'
export { Raw } from './Raw.tsx'
export { SendHint } from './SendHint.tsx'
export { type ConnectorProps, connectorTabs } from './slots.ts'
