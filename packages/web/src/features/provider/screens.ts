/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const OAuthPage = () => import('./OAuthPage.tsx')
export const ServiceBuildersPage = () => import('./ServiceBuildersPage.tsx')
