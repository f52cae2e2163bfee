import { onDemand } from '../../../lib/onDemand.ts'

/** Loaded when a query is edited. */
export const TwinQueryFields = onDemand(() => import('./TwinQueryFields.tsx'))
