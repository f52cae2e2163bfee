import { onDemand } from '../../lib/onDemand.ts'

/** Exports for later features and `app/slots.ts`. */
export { AuthFrame, Failure } from './AuthFrame.tsx'
export { twoFactorSection, usersTab } from './parts.ts'
export { profileSections } from './slots.ts'

export const ConsentDialog = onDemand(() => import('./ConsentDialog.tsx'))
export const TwoFactorSetup = onDemand(() => import('./TwoFactorSetup.tsx'))
