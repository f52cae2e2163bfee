import { formatNumber } from '../../../lib/format.ts'

export function rangeOf({ min, max }: { min: number | null; max: number | null }): string | undefined {
  if (min === null) return max === null ? undefined : `≤ ${formatNumber(max)}`
  return max === null ? `≥ ${formatNumber(min)}` : `${formatNumber(min)} … ${formatNumber(max)}`
}
