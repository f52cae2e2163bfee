import type { Twin } from '@leitstand/contract/twins'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'
import type { PageTab } from '../../ui/page/tabs.ts'

export interface TwinProps {
  twin: Twin
}

/** Tabs of the page of a twin. */
export const twinTabs = createSlot<PageTab<TwinProps>>('twinTabs')

/** What is shown above the values on the overview of a twin. */
export const twinNotices = createSlot<ComponentType<TwinProps>>('twinNotices')

/** Sections below the master data of a twin. */
export const twinSections = createSlot<ComponentType<TwinProps>>('twinSections')
