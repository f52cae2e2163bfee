import type { OverviewState } from '@leitstand/contract/overview'
import type { Permission } from '@leitstand/contract/permissions'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { IconType } from '../../ui/display/Icon.tsx'

export interface StateActionProps {
  states: readonly OverviewState[]
  onClose: () => void
}

/** An action on states of the overview: in the menu of a row, and on several chosen ones. */
export interface StateAction {
  /** key of its text */
  label: string
  icon: IconType
  needs: Permission
  Dialog: ComponentType<StateActionProps>
}

export const stateActions = createSlot<StateAction>('stateActions')
