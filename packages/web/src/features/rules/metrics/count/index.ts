import type { MetricKind } from '../types.ts'

export const count: MetricKind = { needsWindow: true }
