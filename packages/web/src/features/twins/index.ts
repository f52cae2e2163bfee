/** Exports for other features: states, their values and history are the same for virtual devices. */

export { PositionTab } from './position/PositionTab.tsx'
export { findTwins, nameTwin } from './queries.ts'
export { ResponsibleSection } from './responsible/ResponsibleSection.tsx'
export { emptyState } from './states/form.ts'
export { Sparkline } from './states/Sparkline.tsx'
export { StateMultiPicker, StatePicker } from './states/StatePicker.tsx'
export { StateSheet } from './states/StateSheet.tsx'
export { StatesTab } from './states/StatesTab.tsx'
export { StateTiles } from './states/StateTiles.tsx'
export { stateText } from './states/text.ts'
export { useStates } from './states/useStates.ts'
export { bridgeGaps, levelOf } from './states/values.ts'
