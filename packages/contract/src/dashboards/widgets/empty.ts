import * as z from 'zod'
import { widgetFrame } from '../frame.ts'

/** A heading, or space between other widgets. */
export const EmptyWidget = z.object({ type: z.literal('empty'), ...widgetFrame })
