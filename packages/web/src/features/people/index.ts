import { lazy } from 'react'

export { ActAsButton } from './ActAsButton.tsx'
/** Exports for later features. */
export { AuthFrame, Failure } from './AuthFrame.tsx'
export { DefaultsFields } from './DefaultsFields.tsx'
export { ResetFactorButton } from './ResetFactorButton.tsx'
export { TwoFactorDemand } from './TwoFactorDemand.tsx'

export const ConsentDialog = lazy(() => import('./ConsentDialog.tsx'))
export const TwoFactorSetup = lazy(() => import('./TwoFactorSetup.tsx'))
