/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const TicketsPage = () => import('./TicketsPage.tsx')
export const AddTicketPage = () => import('./add/AddTicketPage.tsx')
export const TicketSuccessPage = () => import('./add/TicketSuccessPage.tsx')
/** In the toolbar. */
export const TicketTools = () => import('./TicketTools.tsx')
