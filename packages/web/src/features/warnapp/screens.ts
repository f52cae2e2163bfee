/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const MonitorPage = () => import('./monitor/MonitorPage.tsx')
export const WarnappPage = () => import('./WarnappPage.tsx')
