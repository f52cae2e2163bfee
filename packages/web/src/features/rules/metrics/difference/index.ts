import type { MetricKind } from '../types.ts'

export const difference: MetricKind = { needsWindow: true }
