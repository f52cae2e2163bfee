/** The screens of this feature, for `app/routes.ts`; each is loaded when it is opened. */
export const MyKeysPage = () => import('./mine/MyKeysPage.tsx')
export const KeysPage = () => import('./KeysPage.tsx')
