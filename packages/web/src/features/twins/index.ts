/** What other features use of the twins: states, their values and history are the same for virtual devices. */
export { HistoryDialog, type HistoryState, thresholdsOf } from './history/HistoryDialog.tsx'
export { twinPath } from './kinds.ts'
export { findTwins, nameTwin } from './queries.ts'
export { StateTiles } from './states/StateTiles.tsx'
export { StateValue } from './states/StateValue.tsx'
export { stateText } from './states/text.ts'
export { useStates, useStatesChanged } from './states/use-states.ts'
export { levelOf } from './states/values.ts'
