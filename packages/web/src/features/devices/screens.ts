/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const DeviceMapPage = () => import('./DeviceMapPage.tsx')
export const DevicePage = () => import('./DevicePage.tsx')
export const DevicesPage = () => import('./DevicesPage.tsx')
