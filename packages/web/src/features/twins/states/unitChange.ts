import { type Conversion, conversionOf, converted, unitOf } from '@leitstand/contract/units'
import type { NumberField, StateForm } from './form.ts'

/** Fields that are in the unit of the state. */
export const limitFields = [
  'lowerBound',
  'upperBound',
  'scaleMin',
  'scaleMax',
  'lowerThreshold',
  'upperThreshold',
] as const

export type Limits = Pick<StateForm, (typeof limitFields)[number]>

/** What a change of the unit can mean for the stored values. */
export type UnitChange = 'none' | 'label' | 'computed' | 'convertible'

/** `convertible`: the user decides between new values and a new label. */
export function unitChangeOf(
  from: string,
  to: string,
  { isComputed, valueType }: { isComputed: boolean; valueType: StateForm['valueType'] },
): UnitChange {
  const isSame = from.trim() === to.trim() || (unitOf(from)?.unit ?? from) === (unitOf(to)?.unit ?? to)
  if (from.trim() === '' || isSame || valueType !== 'number') return 'none'
  if (conversionOf(from, to) === null) return 'label'
  return isComputed ? 'computed' : 'convertible'
}

/** The limits in another unit; empty fields stay empty. */
export function limitsIn(limits: Limits, from: string, to: string): Limits {
  const how = conversionOf(from, to)
  if (how === null) return limits
  const convert = (value: NumberField): NumberField => (value === '' ? '' : converted(value, how))
  return {
    lowerBound: convert(limits.lowerBound),
    upperBound: convert(limits.upperBound),
    scaleMin: convert(limits.scaleMin),
    scaleMax: convert(limits.scaleMax),
    lowerThreshold: convert(limits.lowerThreshold),
    upperThreshold: convert(limits.upperThreshold),
  }
}

/** A transformer that converts what the source sends. */
export function transformerOf({ factor, offset }: Conversion): string {
  const product = factor === 1 ? 'value' : `value * ${factor}`
  if (offset === 0) return `return ${product}`
  return `return ${product} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`
}
