/** Exports for later features. */
export { ActAsButton } from './ActAsButton.tsx'
export { DefaultsFields } from './DefaultsFields.tsx'
export { ResetFactorButton } from './ResetFactorButton.tsx'
export { TwoFactorDemand } from './TwoFactorDemand.tsx'
