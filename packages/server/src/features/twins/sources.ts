import type { JsonValue } from '@leitstand/contract/common'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { SourceSettings, StateKey, state, ValueType, Visualization } from '@leitstand/contract/states'
import type * as z from 'zod'
import { AppError } from '../../platform/errors.ts'
import type { Category } from './policy.ts'

type CreateInput = z.infer<NonNullable<(typeof state.create)['~orpc']['inputSchema']>>

/** Editable fields of a state. */
export type StateInput = Omit<CreateInput, 'dtwinId' | 'key'>

/** A state's source as stored. */
export interface CheckedSource {
  /** only settings of this source */
  settings: SourceSettings
  connectorId: number | null
  identifier: string | null
  variable: string | null
  /** states it is computed from, without duplicates */
  sourceIds: number[]
}

/** Sources whose value is computed from other states. */
const aggregateSources: readonly StateInput['source'][] = [
  'aggregate',
  'iothub-aggregate',
  'timeseries-aggregate',
  'virtual-device-aggregate',
]

const randomDefaultSeconds = 60

/** Whether a source is computed from other states. */
export const isAggregate = (source: StateInput['source']): boolean => aggregateSources.includes(source)

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
  if (isAggregate(input.source)) return aggregateSource(input.sourceSettings)
  if (input.source === 'connector') return connectorSource(category, key, input.sourceSettings)
  if (input.source === 'random') return randomSource(input)
  return { ...nothing, settings: {} }
}

const nothing = { connectorId: null, identifier: null, variable: null, sourceIds: [] }

function aggregateSource({ stateIds = [], method }: SourceSettings): CheckedSource {
  const sourceIds = [...new Set(stateIds)]
  if (sourceIds.length === 0)
    throw invalid('sourceSettings.stateIds', 'An aggregate needs at least one state')
  if (method === undefined && sourceIds.length > 1) {
    throw invalid('sourceSettings.method', 'An aggregate of several states needs a method')
  }
  return { ...nothing, settings: { stateIds: sourceIds, method: method ?? 'latest' }, sourceIds }
}

function connectorSource(category: Category, key: string, settings: SourceSettings): CheckedSource {
  const variable = settings.variable?.trim() || undefined
  if (category === 'virtualDevice') {
    return { ...nothing, settings: { variable: variable ?? key }, variable: variable ?? key }
  }
  const { connectorId } = settings
  const identifier = settings.identifier?.trim()
  if (connectorId === undefined) throw invalid('sourceSettings.connectorId', 'A connector is needed')
  if (!identifier) throw invalid('sourceSettings.identifier', 'The identifier to listen to is needed')
  return {
    settings: { connectorId, identifier, ...(variable ? { variable } : {}) },
    connectorId,
    identifier: normaliseExternalId(identifier),
    variable: variable ?? null,
    sourceIds: [],
  }
}

function randomSource({ valueType, sourceSettings: { min, max, everySeconds } }: StateInput): CheckedSource {
  if (valueType !== 'number') throw invalid('valueType', 'Random values are numbers')
  if (min === undefined) throw invalid('sourceSettings.min', 'A random source needs a minimum')
  if (max === undefined) throw invalid('sourceSettings.max', 'A random source needs a maximum')
  if (min >= max) throw invalid('sourceSettings.max', 'The maximum must be above the minimum')
  return { ...nothing, settings: { min, max, everySeconds: everySeconds ?? randomDefaultSeconds } }
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

function invalid(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', { field }, message)
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
