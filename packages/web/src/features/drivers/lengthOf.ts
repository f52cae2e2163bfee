import type { TFunction } from 'i18next'
import { formatDuration } from '../../lib/format.ts'
import { roughDuration } from './health/entries.ts'

/** Below this length, show seconds. */
const shortMs = 120_000

/** A duration in words. */
export function lengthOf(ms: number, t: TFunction): string {
  if (ms < shortMs) return formatDuration(ms)
  const { amount, unit } = roughDuration(ms)
  return t(`deviceHealth.durations.${unit}`, { count: amount })
}
