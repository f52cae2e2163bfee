/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const DriverPage = () => import('./DriverPage.tsx')
export const DriversPage = () => import('./DriversPage.tsx')
export const LibraryDriverPage = () => import('./library/LibraryDriverPage.tsx')
export const LibraryPage = () => import('./library/LibraryPage.tsx')
