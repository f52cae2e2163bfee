import type { MetricKind } from '../types.ts'

export const min: MetricKind = { needsWindow: true }
