import type { MetricKind } from '../types.ts'

export const median: MetricKind = { needsWindow: true }
