import * as z from 'zod'
import { twinSelection, widgetFrame } from '../frame.ts'

const TwinMapOptions = z.object({ ...twinSelection, stateKey: z.string().max(100).optional() })

export const TwinMapWidget = z.object({
  type: z.literal('twin-map'),
  ...widgetFrame,
  twinMapOptions: TwinMapOptions.prefault({}),
})
