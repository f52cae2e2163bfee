import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { Driver } from './queries.ts'

export interface DriverProps {
  driverId: number
}

/** Sections below the master data of a driver. */
export const driverSections = createSlot<ComponentType<DriverProps>>('driverSections')

/** Buttons beside the heading of a driver's versions, while devices use the driver. */
export const versionActions = createSlot<ComponentType<{ driver: Driver }>>('versionActions')
