/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AlarmsPage = () => import('./AlarmsPage.tsx')
/** In the toolbar. */
export const AlarmBell = () => import('./AlarmBell.tsx')
/** Sums of the alarms of a period. */
export const AnalysisPage = () => import('./analysis/AnalysisPage.tsx')
