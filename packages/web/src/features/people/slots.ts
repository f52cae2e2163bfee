import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** Sections of the user's own profile; not shown while impersonating. */
export const profileSections = createSlot<ComponentType>('profileSections')
