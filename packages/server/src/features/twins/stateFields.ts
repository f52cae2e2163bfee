import type { JsonValue } from '@leitstand/contract/common'
import type { StateKey, ValueType, Visualization } from '@leitstand/contract/states'
import type * as z from 'zod'
import { AppError } from '../../platform/errors.ts'
import type { Category } from './policy.ts'
import { checkSource } from './sources/index.ts'
import { type CheckedSource, invalid, type StateInput } from './sources/types.ts'

/**
 * Validates a state and maps its source to columns.
 * @throws AppError VALIDATION_ERROR with `field` and a message
 */
export function checkState(
  category: Category,
  key: z.infer<typeof StateKey>,
  input: StateInput,
): CheckedSource {
  checkBounds(input)
  checkVisualization(input.visualization)
  const { source, sourceSettings, valueType, positionAxis } = input
  if (positionAxis !== null && valueType !== 'number')
    throw invalid('positionAxis', 'Only a number can be a latitude or longitude')
  return checkSource(source, sourceSettings, { category, key, valueType })
}

function checkBounds({ lowerBound, upperBound }: StateInput): void {
  if (lowerBound === null || upperBound === null || lowerBound < upperBound) return
  throw invalid('upperBound', 'The upper bound must be above the lower bound')
}

function checkVisualization({ min, max, lowerThreshold, upperThreshold }: Visualization): void {
  if (min !== undefined && max !== undefined && min >= max) {
    throw invalid('visualization.max', 'The maximum must be above the minimum')
  }
  for (const [name, threshold] of Object.entries({ lowerThreshold, upperThreshold })) {
    if (threshold === undefined) continue
    if ((min !== undefined && threshold <= min) || (max !== undefined && threshold >= max)) {
      throw invalid(`visualization.${name}`, 'Thresholds must lie between minimum and maximum')
    }
  }
  if (lowerThreshold !== undefined && upperThreshold !== undefined && lowerThreshold >= upperThreshold) {
    throw invalid('visualization.upperThreshold', 'The upper threshold must be above the lower threshold')
  }
}

/**
 * Parses a manually set value. Text is parsed as the type of the state: `21.5` or `21,5` as a number, `true`
 * and `false` as a boolean, anything else as JSON for a JSON state.
 * @throws AppError VALUE_WRONG_TYPE, INVALID_JSON_VALUE
 */
export function readValue(valueType: ValueType, value: JsonValue): JsonValue {
  const read = readers[valueType](value)
  if (read === undefined) {
    throw new AppError('VALUE_WRONG_TYPE', { valueType }, `The value is not a ${valueType}`)
  }
  return read
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i
const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

/** Parsers by type; undefined if the value does not fit the type. */
const readers: Record<ValueType, (value: JsonValue) => JsonValue | undefined> = {
  json: (value) => (typeof value === 'string' ? parseJson(value) : value),
  text: (value) => (typeof value === 'object' ? undefined : String(value)),
  number: (value) => {
    if (typeof value === 'number') return value
    if (typeof value !== 'string') return undefined
    const text = value.trim().replace(',', '.')
    const number = decimal.test(text) ? Number(text) : Number.NaN
    return Number.isFinite(number) ? number : undefined
  },
  boolean: (value) => (typeof value === 'object' ? undefined : booleans[String(value).trim().toLowerCase()]),
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_JSON_VALUE')
  }
}
