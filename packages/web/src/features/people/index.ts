import { lazy } from 'react'

/** Exports for later features and `app/slots.ts`. */
export { AuthFrame, Failure } from './AuthFrame.tsx'
export { twoFactorSection, usersTab } from './parts.ts'
export { profileSections } from './slots.ts'

export const ConsentDialog = lazy(() => import('./ConsentDialog.tsx'))
export const TwoFactorSetup = lazy(() => import('./TwoFactorSetup.tsx'))
