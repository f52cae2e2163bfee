import type { MetricKind } from '../types.ts'

export const latest: MetricKind = { needsWindow: false }
