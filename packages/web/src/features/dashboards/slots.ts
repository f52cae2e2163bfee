import type { Dashboard } from '@leitstand/contract/dashboards'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** Buttons beside the heading of a dashboard. */
export const boardActions = createSlot<ComponentType<{ board: Dashboard }>>('boardActions')
