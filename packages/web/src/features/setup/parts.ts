import { onDemand } from '../../lib/onDemand.ts'

export const SetupOffer = onDemand(() => import('./SetupOffer.tsx'))
