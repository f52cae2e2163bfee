/** What the pages of devices and twins use. */
export { PositionTab } from './PositionTab.tsx'
