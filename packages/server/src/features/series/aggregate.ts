import type { JsonValue } from '@leitstand/contract/common'
import type { AggregationMethod } from '@leitstand/contract/series'
import { sumOf } from './derived/exactSum.ts'

export interface TimedValue {
  value: JsonValue
  time: Date
}

/**
 * Combines the current values of several states.
 *
 * `latest` returns the newest value of any type and `count` the number of states with a value. The other
 * methods use numbers only (true counts as 1, false as 0). Null when there is nothing to combine.
 */
export function combine(method: AggregationMethod, inputs: readonly TimedValue[]): JsonValue | null {
  if (method === 'count') return inputs.length
  if (method === 'latest') return newest(inputs)?.value ?? null
  return reduceNumbers(method, numbersOf(inputs.map(({ value }) => value)))
}

/** The newest of several values; the last one wins a tie. */
export function newest<T extends { time: Date }>(inputs: readonly T[]): T | undefined {
  return inputs.reduce<T | undefined>(
    (best, input) => (best === undefined || input.time >= best.time ? input : best),
    undefined,
  )
}

/**
 * Current values of an aggregate's sources, in the order in which the aggregate lists them. The order decides
 * which of several equally new values is the latest and how a sum is rounded, so every computation must use
 * it.
 */
export function inOrderOfSources(
  sourceIds: readonly number[],
  current: ReadonlyMap<number, TimedValue>,
): (TimedValue & { stateId: number })[] {
  return sourceIds.flatMap((stateId) => {
    const input = current.get(stateId)
    return input === undefined ? [] : [{ stateId, value: input.value, time: input.time }]
  })
}

/** The numbers among the values; true counts as 1, false as 0. */
export function numbersOf(values: readonly JsonValue[]): number[] {
  return values.flatMap((value) => toNumber(value) ?? [])
}

/** A value as a number; undefined if it is not one. Negative zero becomes zero. */
export function toNumber(value: JsonValue): number | undefined {
  if (typeof value === 'number') return value + 0
  return typeof value === 'boolean' ? Number(value) : undefined
}

/** Average, minimum, maximum, sum or median of numbers; null if there are none. */
export function reduceNumbers(
  method: 'avg' | 'min' | 'max' | 'sum' | 'median',
  numbers: readonly number[],
): number | null {
  if (numbers.length === 0) return null
  switch (method) {
    case 'sum':
      return sumOf(numbers)
    case 'avg':
      return sumOf(numbers) / numbers.length
    case 'min':
      return numbers.reduce((a, b) => Math.min(a, b))
    case 'max':
      return numbers.reduce((a, b) => Math.max(a, b))
    case 'median':
      return median(numbers)
  }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
