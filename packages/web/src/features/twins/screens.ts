/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const TwinList = () => import('./TwinList.tsx')
export const TwinMapPage = () => import('./map/TwinMapPage.tsx')
export const TwinPage = () => import('./TwinPage.tsx')
export const TwinsPage = () => import('./TwinsPage.tsx')
