/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AssetsPage = () => import('./AssetsPage.tsx')
export const AssetPage = () => import('./AssetPage.tsx')
export const ZonesPage = () => import('./ZonesPage.tsx')
export const AssetMapPage = () => import('./AssetMapPage.tsx')
