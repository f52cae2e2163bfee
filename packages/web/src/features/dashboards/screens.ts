/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const DashboardPage = () => import('./DashboardPage.tsx')
export const PrintPage = () => import('./PrintPage.tsx')
export const DashboardsPage = () => import('./DashboardsPage.tsx')
