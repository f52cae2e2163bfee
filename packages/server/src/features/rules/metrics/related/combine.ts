import type { JsonValue } from '@leitstand/contract/common'
import type { AcrossOperation } from '@leitstand/contract/rules'

/** Pure. One value from those of several states; states without a value do not count. null: there is none. */
export function combineValues(values: readonly JsonValue[], across: AcrossOperation): JsonValue {
  const known = values.filter((value) => value !== null)
  if (across === 'count') return known.length
  const numbers = known.flatMap((value) => {
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'number' ? value : []
  })
  return numbers.length === 0 ? null : reduceTo[across](numbers)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

const reduceTo: Record<Exclude<AcrossOperation, 'count'>, (numbers: readonly number[]) => number> = {
  avg: (numbers) => sum(numbers) / numbers.length,
  min: (numbers) => numbers.reduce((least, number) => Math.min(least, number)),
  max: (numbers) => numbers.reduce((most, number) => Math.max(most, number)),
  sum,
  median(numbers) {
    const sorted = [...numbers].sort((one, other) => one - other)
    const middle = sorted.length >> 1
    const upper = sorted[middle] as number
    return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
  },
}
