import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** Sections below the statistics of a smart group. */
export const groupSections = createSlot<ComponentType<{ groupId: number }>>('groupSections')
