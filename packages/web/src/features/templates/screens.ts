/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const TemplatePage = () => import('./TemplatePage.tsx')
export const TemplatesPage = () => import('./TemplatesPage.tsx')
