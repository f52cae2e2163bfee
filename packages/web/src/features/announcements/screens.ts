/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AnnouncementsPage = () => import('./AnnouncementsPage.tsx')
/** Above every page. */
export const Banners = () => import('./Banners.tsx')
