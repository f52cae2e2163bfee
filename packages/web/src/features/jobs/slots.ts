import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** Buttons of a background job. */
export const jobActions = createSlot<ComponentType<{ job: BackgroundJob }>>('jobActions')

/** Buttons of the page of all background jobs. */
export const jobListActions = createSlot<ComponentType>('jobListActions')
