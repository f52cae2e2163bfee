/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const GroupMapPage = () => import('./smart/GroupMapPage.tsx')
export const GroupPage = () => import('./smart/GroupPage.tsx')
export const GroupsPage = () => import('./smart/GroupsPage.tsx')
