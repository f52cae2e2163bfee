import type { MetricKind } from '../types.ts'

export const first: MetricKind = { needsWindow: true }
