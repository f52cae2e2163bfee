/** Exports for later features. */
export { ActivityTab } from './ActivityTab.tsx'
