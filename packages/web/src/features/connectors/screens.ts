/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const ConnectorCreatePage = () => import('./ConnectorCreatePage.tsx')
export const ConnectorPage = () => import('./ConnectorPage.tsx')
export const ConnectorsPage = () => import('./ConnectorsPage.tsx')
