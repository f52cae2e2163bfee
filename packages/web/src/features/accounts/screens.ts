/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AccountsPage = () => import('./AccountsPage.tsx')
export const BulkPage = () => import('./BulkPage.tsx')
export const ModulesPage = () => import('./modules/ModulesPage.tsx')
export const RolesPage = () => import('./RolesPage.tsx')
export const UserPage = () => import('./UserPage.tsx')
