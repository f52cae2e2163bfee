import { onDemand } from '../../lib/onDemand.ts'

export const BrandPart = onDemand(() => import('./branding/BrandPart.tsx'))
