import { type Conversion, converted } from '@leitstand/contract/units'
import type { Limits } from './store.ts'

/** Limits of a state in another unit. Conversions keep the order of values, so checked limits stay valid. */
export function convertedLimits(
  { lowerBound, upperBound, visualization }: Limits,
  conversion: Conversion,
): Limits {
  const convert = (value: number) => converted(value, conversion)
  const scale = (['min', 'max', 'lowerThreshold', 'upperThreshold'] as const).flatMap((name) => {
    const value = visualization[name]
    return value === undefined ? [] : [[name, convert(value)] as const]
  })
  return {
    lowerBound: lowerBound === null ? null : convert(lowerBound),
    upperBound: upperBound === null ? null : convert(upperBound),
    visualization: { ...visualization, ...Object.fromEntries(scale) },
  }
}
