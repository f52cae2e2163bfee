import type { MetricKind } from '../types.ts'

export const max: MetricKind = { needsWindow: true }
