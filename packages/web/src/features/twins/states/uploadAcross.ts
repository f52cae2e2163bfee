import { onDemand } from '../../../lib/onDemand.ts'

export const UploadAcrossDialog = onDemand(() => import('./UploadAcrossDialog.tsx'))
