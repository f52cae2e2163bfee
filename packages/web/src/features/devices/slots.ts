import type { BulkSelection } from '@leitstand/contract/bulk'
import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { IconType } from '../../ui/display/Icon.tsx'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { Device } from './queries.ts'

export interface DeviceProps {
  device: Device
}

/** Tabs of the page of a device. */
export const deviceTabs = createSlot<PageTab<DeviceProps>>('deviceTabs')

/** What is shown above the values of a device, where its page begins. */
export const deviceNotices = createSlot<ComponentType<DeviceProps>>('deviceNotices')

/** Sections below the master data of a device. */
export const deviceSections = createSlot<ComponentType<DeviceProps>>('deviceSections')

/** An entry in the menu of the page of a device. */
export interface DeviceAction {
  /** key of its text */
  label: string
  icon: IconType
  isShown: (device: Device) => boolean
  /** also offered to those who may only read the device */
  forReaders?: true
  Dialog: ComponentType<DeviceProps & { onClose: () => void }>
}

export const deviceActions = createSlot<DeviceAction>('deviceActions')

/** Buttons beside the heading of a device's packets. */
export const packetActions = createSlot<ComponentType<DeviceProps>>('packetActions')

/** Buttons beside the filters of the device list and the map. */
export const deviceFilterActions = createSlot<ComponentType<{ filter: DeviceFilters }>>('deviceFilterActions')

/** An action on the devices selected in the list. */
export interface SelectionAction {
  /** key of its text */
  label: string
  icon: IconType
  Content: ComponentType<{ selection: BulkSelection; onClose: () => void }>
  /** `page`: shown instead of the list, its button comes first. */
  as: 'page' | 'dialog'
  /** Key of the text of its button for all devices of the filter, with `count`; absent: only for selected ones. */
  labelAll?: string
}

export const selectionActions = createSlot<SelectionAction>('selectionActions')

/** A wizard shown instead of the list while its parameter is `1` in the address. */
export interface DeviceWizard {
  param: string
  Content: ComponentType
}

export const deviceWizards = createSlot<DeviceWizard>('deviceWizards')
