/** Exports for other features: states, their values and history are the same for virtual devices. */

export { HistoryDialog } from './history/HistoryDialog.tsx'
export { opensHistory, useHistoryAddress } from './history/useHistoryAddress.ts'
export { twinTypeNames } from './kinds.ts'
export { askedMarkers } from './map/markers.ts'
export { areasOf, middlesOf, placePoint, pointsOf } from './map/points.ts'
export { useTwinMoves } from './map/useTwinMoves.ts'
export { MasterDataForm } from './masterData/MasterDataForm.tsx'
export { PlaceFields } from './masterData/PlaceFields.tsx'
export { PositionTab } from './position/PositionTab.tsx'
export { findTwins, nameTwin, useTwinsChanged } from './queries.ts'
export {
  stateOrigins,
  type TwinAction,
  type TwinActionProps,
  type TwinMapFloorsProps,
  type TwinProps,
  type TwinSelectionAction,
  twinActions,
  twinFilterActions,
  twinMapFloors,
  twinNotices,
  twinSections,
  twinSelectionActions,
  twinTabs,
} from './slots.ts'
export { emptyState } from './states/form.ts'
export { TwinQueryFields } from './states/onDemand.ts'
export { Sparkline } from './states/Sparkline.tsx'
export { StateMultiPicker, StatePicker } from './states/StatePicker.tsx'
export { StateSheet } from './states/StateSheet.tsx'
export { StatesTab } from './states/StatesTab.tsx'
export { StateTile } from './states/StateTile.tsx'
export { StateTiles } from './states/StateTiles.tsx'
export { LevelIcon, StateValue } from './states/StateValue.tsx'
export { stateText } from './states/text.ts'
export { UploadAcrossDialog } from './states/uploadAcross.ts'
export { useStates } from './states/useStates.ts'
export { appendPoints, bridgeGaps, levelOf, withLiveValues } from './states/values.ts'
