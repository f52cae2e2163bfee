/** Exports for later features and `app/slots.ts`. */
export { FloorsOnMap } from './FloorsOnMap.tsx'
export { floorPlanTab } from './parts.tsx'
export { useShownFloor } from './useShownFloor.ts'
