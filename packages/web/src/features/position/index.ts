/** Exports for the pages of devices and twins. */
export { PositionTab } from './PositionTab.tsx'
