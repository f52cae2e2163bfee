import * as z from 'zod'
import { Id } from '../../common.ts'
import { widgetFrame } from '../frame.ts'

const ValueOptions = z.object({
  stateIds: z.array(Id).max(24).default([]),
  sparkline: z.boolean().default(true),
})

export const ValueWidget = z.object({
  type: z.literal('value'),
  ...widgetFrame,
  valueOptions: ValueOptions.prefault({}),
})
