/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const SetupPage = () => import('./SetupPage.tsx')
