/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AccountsPage = () => import('./AccountsPage.tsx')
export const FlagsPage = () => import('./flags/FlagsPage.tsx')
export const ModulesPage = () => import('./modules/ModulesPage.tsx')
