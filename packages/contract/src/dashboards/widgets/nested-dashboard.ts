import * as z from 'zod'
import { widgetFrame } from '../frame.ts'

export const NestedDashboardWidget = z.object({ type: z.literal('nested-dashboard'), ...widgetFrame })
