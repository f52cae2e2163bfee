/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const ApiPage = () => import('./ApiPage.tsx')
export const HelpPage = () => import('./HelpPage.tsx')
export const ManualPage = () => import('./manual/ManualPage.tsx')
/** A part of the toolbar. */
export const HelpButton = () => import('./manual/HelpButton.tsx')
