import type { MetricKind } from '../types.ts'

export const avg: MetricKind = { needsWindow: true }
