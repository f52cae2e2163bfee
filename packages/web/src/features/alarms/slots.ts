import type { Alarm } from '@leitstand/contract/alarms'
import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** Buttons of an open alarm. */
export const alarmActions = createSlot<ComponentType<{ alarm: Alarm }>>('alarmActions')
