import type { SmartGroup } from '@leitstand/contract/smartGroups'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { IconType } from '../../ui/display/Icon.tsx'

/** Sections below the statistics of a smart group. */
export const groupSections = createSlot<ComponentType<{ groupId: number }>>('groupSections')

/** An entry in the menu of the page of a smart group. */
export interface GroupAction {
  /** key of its text */
  label: string
  icon: IconType
  Dialog: ComponentType<{ group: Pick<SmartGroup, 'id' | 'title'>; onClose: () => void }>
}

export const groupActions = createSlot<GroupAction>('groupActions')
