/** Exports for other features: a dashboard that is only shown, and parts for `app/slots.ts`. */

export { putOnDashboard } from './parts.ts'
export { dashboardRange } from './settings.ts'
export { boardActions } from './slots.ts'
export { type ReadWidgets, useBoardData } from './useData.ts'
export { WidgetGrid } from './WidgetGrid.tsx'
