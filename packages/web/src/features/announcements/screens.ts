import { loadAllTexts } from '../../lib/i18n.ts'

/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const AnnouncementsPage = () => import('./AnnouncementsPage.tsx')

/** What is above every page; its texts are not among the first. */
export const Banners = async () => {
  const [banners] = await Promise.all([import('./Banners.tsx'), loadAllTexts()])
  return banners
}
