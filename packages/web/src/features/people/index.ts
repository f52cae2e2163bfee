import { onDemand } from '../../lib/onDemand.ts'

/** Exports for later features and `app/slots.ts`. */
export { AuthFrame, Failure, LanguageSwitch, SchemeSwitch } from './AuthFrame.tsx'
export { twoFactorSection, usersTab } from './parts.ts'
export { userPath } from './queries.ts'
export { profileSections } from './slots.ts'

/** Terms and other legal texts as their author wrote them. */
export const TermsText = onDemand(async () => ({ default: (await import('./TermsText.tsx')).TermsText }))
export const ConsentDialog = onDemand(() => import('./ConsentDialog.tsx'))
export const TwoFactorSetup = onDemand(() => import('./TwoFactorSetup.tsx'))
