/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const SystemLogsPage = () => import('./SystemLogsPage.tsx')
export const SystemSettingsPage = () => import('./branding/SystemSettingsPage.tsx')
export const DrawerLinksPage = () => import('./branding/DrawerLinksPage.tsx')
export const ImprintPage = () => import('./branding/ImprintPage.tsx')
export const PrivacyPage = () => import('./branding/PrivacyPage.tsx')
export const TermsPage = () => import('./branding/TermsPage.tsx')
