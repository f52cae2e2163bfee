import type { Permission } from '@leitstand/contract/permissions'
import type { TwinSelection } from '@leitstand/contract/twinBulk'
import type { Twin, TwinFilters, TwinSummary } from '@leitstand/contract/twins'
import type { ComponentType, ReactNode } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { IconType } from '../../ui/display/Icon.tsx'
import type { MapBounds, MapPlan } from '../../ui/map/MapView.tsx'
import type { PageTab } from '../../ui/page/tabs.ts'

export interface TwinProps {
  twin: Twin
}

/** Tabs of the page of a twin. */
export const twinTabs = createSlot<PageTab<TwinProps>>('twinTabs')

/** What is shown above the values on the overview of a twin. */
export const twinNotices = createSlot<ComponentType<TwinProps>>('twinNotices')

/** Below a value on the overview of a twin: where it comes from. */
export const stateOrigins = createSlot<ComponentType<{ twinId: number; stateId: number }>>('stateOrigins')

/** Sections below the master data of a twin. */
export const twinSections = createSlot<ComponentType<TwinProps>>('twinSections')

export interface TwinActionProps {
  twin: Pick<TwinSummary, 'id' | 'title' | 'parentId' | 'parentTitle' | 'accountId' | 'disabled'>
  onClose: () => void
}

/** An entry in the menu of a twin. */
export interface TwinAction {
  /** key of its text */
  label: string
  icon: IconType
  /** who sees it; default: users who may change twins */
  needs?: Permission
  Dialog: ComponentType<TwinActionProps>
}

export const twinActions = createSlot<TwinAction>('twinActions')

export interface TwinMapFloorsProps {
  /** whose floors; 0: of no twin */
  twinId: number
  /** the chosen floor */
  chosen: number | null
  onChoose: (floorId: number | null) => void
  children: (shown: {
    picker: ReactNode
    /** the chosen floor, if there is one with this id */
    floorId: number | null
    plan: MapPlan | undefined
    /** of the plan */
    bounds: MapBounds | undefined
  }) => ReactNode
}

/** Floors with their plans around the map of a twin; exactly one part. */
export const twinMapFloors = createSlot<ComponentType<TwinMapFloorsProps>>('twinMapFloors')

/** Buttons beside the filters of the list of twins. */
export const twinFilterActions = createSlot<ComponentType<{ filter: TwinFilters }>>('twinFilterActions')

/** An action on the twins selected in the list, shown instead of the list. */
export interface TwinSelectionAction {
  /** key of its text */
  label: string
  /** key of the text of its button for all twins of the filter, with `count` */
  labelAll: string
  icon: IconType
  Content: ComponentType<{ selection: TwinSelection; onClose: () => void }>
}

export const twinSelectionActions = createSlot<TwinSelectionAction>('twinSelectionActions')
