/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const PublicTilesPage = () => import('./PublicTilesPage.tsx')
export const PublicMapPage = () => import('./PublicMapPage.tsx')
