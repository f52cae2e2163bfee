/** What other features use of the twins: states, their values and history are the same for virtual devices. */
export { findTwins, nameTwin } from './queries.ts'
export { Sparkline } from './states/Sparkline.tsx'
export { StateMultiPicker, StatePicker } from './states/StatePicker.tsx'
export { StatesTab } from './states/StatesTab.tsx'
export { StateTiles } from './states/StateTiles.tsx'
export { stateText } from './states/text.ts'
export { useStates } from './states/use-states.ts'
export { bridgeGaps, levelOf } from './states/values.ts'
