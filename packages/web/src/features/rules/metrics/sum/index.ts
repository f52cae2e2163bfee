import type { MetricKind } from '../types.ts'

export const sum: MetricKind = { needsWindow: true }
