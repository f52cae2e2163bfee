/**
 * Screens of the first load, which start with the first part of the texts; home loads the rest for its second half.
 * The build reads this list, too (`build/firstFiles.ts`).
 */
export const firstScreens: readonly string[] = ['/login', '/error', '/home']
