/** Exports for later features and `app/slots.ts`. */
export { FloorPicker } from './FloorPicker.tsx'
export { FloorsOnMap } from './FloorsOnMap.tsx'
export { floorPlanTab } from './parts.tsx'
export { useShownFloor } from './useShownFloor.ts'
