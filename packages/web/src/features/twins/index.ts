/** What other features use of the twins: states, their values and history are the same for virtual devices. */
export { HistoryDialog, type HistoryState } from './history/HistoryDialog.tsx'
export { findTwins, nameTwin } from './queries.ts'
export { StateMultiPicker, StatePicker } from './states/StatePicker.tsx'
export { StateTiles } from './states/StateTiles.tsx'
export { StateValue } from './states/StateValue.tsx'
export { stateText } from './states/text.ts'
export { useStates } from './states/use-states.ts'
export { bridgeGaps, levelOf, sparkPath } from './states/values.ts'
