/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const ChangePasswordPage = () => import('./ChangePasswordPage.tsx')
export const ConsentDialog = () => import('./ConsentDialog.tsx')
export const ErrorPage = () => import('./ErrorPage.tsx')
export const ProfilePage = () => import('./ProfilePage.tsx')
export const ResetPasswordPage = () => import('./ResetPasswordPage.tsx')
export const BulkPage = () => import('./BulkPage.tsx')
export const UserPage = () => import('./UserPage.tsx')
