/** Exports for other features: a dashboard that is only shown. */

export { dashboardRange } from './settings.ts'
export { boardActions } from './slots.ts'
export { type ReadWidgets, useBoardData } from './useData.ts'
export { WidgetGrid } from './WidgetGrid.tsx'
