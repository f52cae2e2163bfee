/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const RuleMailPage = () => import('./RuleMailPage.tsx')
export const RulesMonitorPage = () => import('./RulesMonitorPage.tsx')
