import type { JsonValue } from '@leitstand/contract/common'
import type { FaultParams, PacketFault, Remark } from '@leitstand/contract/errors'

/** Limits of the result of one packet. */
export const decodeLimits = {
  /** variables per measurement; more are refused, never truncated silently */
  variablesMax: 200,
  /** measurements per packet (a data logger that was offline sends its history at once) */
  measurementsMax: 1000,
  keyLengthMax: 100,
  notesMax: 20,
} as const

/** Variables measured at one time. */
export interface Measurement {
  time: Date
  variables: Record<string, JsonValue>
}

/**
 * The interpreted result of a driver. `notes` are for the author of the driver (dropped or renamed values).
 * With an `error` there are no measurements.
 */
export interface Flattened {
  measurements: Measurement[]
  notes: Remark[]
  error: PacketFault | null
}

/** Keys for the time of a measurement; the first one with a valid date is used. */
const timeKeys = ['timestamp', 'time'] as const
/** Vendors put earlier measurements of the same variables below this key. */
const historyKey = 'history'
/** Numbers accepted as times: seconds or milliseconds between 2001 and 2286. */
const epochSeconds = { min: 1e9, max: 1e10 } as const
const epochMilliseconds = { min: 1e12, max: 1e13 } as const

/**
 * Converts the result of a driver into variables, in the same way in the editor and in live traffic:
 *
 * - keys of nested objects are joined by dots: `{ air: { temperature: 21 } }` → `air.temperature`
 * - an object that only has `value` and perhaps `unit` is its value
 * - an object with `timestamp` or `time` that reads as a date (ISO 8601, seconds or milliseconds since 1970) says when
 *   its values were measured; at any other place the packet's time counts
 * - an array of objects is several measurements; below another key each keeps the key in its names
 *   (`meter.volume`), except below `history`, which holds earlier values of the same variables. Objects without
 *   a time of their own are numbered there: `channels.0.current`
 * - other arrays stay one JSON value; a bare number, text or boolean becomes the variable `value`
 * - null is no value; NaN and Infinity are dropped with a note
 * - characters other than letters, digits, underscore and dot become `_`, with a note
 *
 * @param output plain JSON data, or undefined if the driver returned nothing (then there is no measurement)
 * @param packetTime time of measurements without their own time
 * @returns measurements, oldest first, one per moment; an error when there are more than `decodeLimits` allow
 */
export function flattenOutput(output: unknown, packetTime: Date): Flattened {
  if (isFlat(output))
    return { measurements: [{ time: packetTime, variables: output }], notes: [], error: null }
  const collector = new Collector()
  if (Array.isArray(output) && output.some(isObject)) {
    for (const element of output) collector.addMeasurement(element, packetTime, '')
  } else {
    collector.addMeasurement(output, packetTime, '')
  }
  return collector.result()
}

/**
 * Fast path: most drivers return only numbers, texts and booleans with plain names, which need no conversion.
 */
function isFlat(output: unknown): output is Record<string, JsonValue> {
  if (!isObject(output)) return false
  let count = 0
  for (const key in output) {
    const value = output[key]
    const isPlain = typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean'
    if (!isPlain && typeof value !== 'string') return false
    if (key === 'time' || key === 'timestamp' || !plainName.test(key)) return false
    count++
  }
  return count > 0 && count <= decodeLimits.variablesMax
}

const plainName = /^[A-Za-z0-9_.]{1,100}$/

class Collector {
  private readonly byTime = new Map<number, Map<string, JsonValue>>()
  private readonly notes: Remark[] = []

  /** Adds an object with its own time, or any other value with the time of its parent. */
  addMeasurement(element: unknown, parentTime: Date, prefix: string): void {
    if (!isObject(element)) {
      this.addValue(element, parentTime, prefix === '' ? 'value' : prefix)
      return
    }
    const own = ownTime(element)
    const time = own?.time ?? parentTime
    for (const [key, value] of Object.entries(element)) {
      if (key === own?.key) continue
      this.addValue(value, time, this.nameOf(key, prefix))
    }
  }

  private addValue(value: unknown, time: Date, name: string): void {
    if (value === null || value === undefined || name === '') return
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.note(`${name}: ${value} is no value`, { kind: 'noValue', key: name, value: String(value) })
      return
    }
    if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') {
      this.put(time, name, value)
    } else if (Array.isArray(value)) {
      this.addArray(value, time, name)
    } else if (isObject(value)) {
      const inner = valueWithUnit(value)
      if (inner) this.addValue(inner.value, time, name)
      else this.addMeasurement(value, time, name)
    } else {
      this.note(`${name}: a ${typeof value} is no value`, { kind: 'noValue', key: name, value: typeof value })
    }
  }

  private addArray(elements: unknown[], time: Date, name: string): void {
    if (elements.length === 0) return
    if (!elements.every(isObject)) {
      this.put(time, name, elements as JsonValue)
      return
    }
    for (const [index, element] of elements.entries()) {
      if (ownTime(element)) this.addMeasurement(element, time, name === historyKey ? '' : name)
      else this.addMeasurement(element, time, `${name}.${index}`)
    }
  }

  private put(time: Date, name: string, value: JsonValue): void {
    if (name.length > decodeLimits.keyLengthMax) {
      const max = decodeLimits.keyLengthMax
      const start = name.slice(0, 40)
      this.note(`${start}…: the name is longer than ${max} characters`, { kind: 'longName', start, max })
      return
    }
    const variables = this.byTime.get(time.getTime()) ?? new Map<string, JsonValue>()
    this.byTime.set(time.getTime(), variables)
    if (variables.has(name))
      this.note(`${name}: came twice, the last one counts`, { kind: 'twice', key: name })
    variables.set(name, value)
  }

  private nameOf(key: string, prefix: string): string {
    const clean = key.replace(/[^A-Za-z0-9_.]+/g, '_')
    if (clean !== key) {
      const [from, to] = [key.slice(0, 40), clean.slice(0, 40)]
      this.note(`${from}: renamed to ${to}`, { kind: 'renamed', from, to })
    }
    if (clean === '') return ''
    return prefix === '' ? clean : `${prefix}.${clean}`
  }

  private note(message: string, params: FaultParams): void {
    const isKnown = this.notes.some((note) => note.message === message)
    if (this.notes.length < decodeLimits.notesMax && !isKnown) this.notes.push({ message, params })
  }

  result(): Flattened {
    const measurements = [...this.byTime]
      .sort(([a], [b]) => a - b)
      .map(([time, variables]) => ({ time: new Date(time), variables: Object.fromEntries(variables) }))
    const error = tooMany(this.byTime)
    return { measurements: error ? [] : measurements, notes: this.notes, error }
  }
}

function tooMany(byTime: Map<number, Map<string, JsonValue>>): Flattened['error'] {
  const { variablesMax, measurementsMax } = decodeLimits
  if (byTime.size > measurementsMax) {
    const message = `The packet carries ${byTime.size} measurements, at most ${measurementsMax} are allowed`
    const params = { kind: 'measurements', number: byTime.size, max: measurementsMax }
    return { code: 'TOO_MANY_VARIABLES', message, params }
  }
  for (const variables of byTime.values()) {
    if (variables.size > variablesMax) {
      const message = `The packet carries ${variables.size} variables, at most ${variablesMax} are allowed`
      const params = { kind: 'variables', number: variables.size, max: variablesMax }
      return { code: 'TOO_MANY_VARIABLES', message, params }
    }
  }
  return null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `{ value: 21.5, unit: '°C' }` is the notation of several vendors for one variable. */
function valueWithUnit(object: Record<string, unknown>): { value: unknown } | null {
  const keys = Object.keys(object)
  if (!Object.hasOwn(object, 'value') || keys.length > 2) return null
  if (keys.length === 2 && typeof object.unit !== 'string') return null
  return { value: object.value }
}

function ownTime(object: Record<string, unknown>): { key: string; time: Date } | null {
  for (const key of timeKeys) {
    if (!Object.hasOwn(object, key)) continue
    const time = readTime(object[key])
    if (time) return { key, time }
  }
  return null
}

/** ISO 8601 text (without a zone it is UTC), or seconds or milliseconds since 1970; null for everything else. */
export function readTime(value: unknown): Date | null {
  if (typeof value === 'number') {
    if (value >= epochSeconds.min && value < epochSeconds.max) return new Date(value * 1000)
    if (value >= epochMilliseconds.min && value < epochMilliseconds.max) return new Date(value)
    return null
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)) return null
  const zoned = /(?:[zZ]|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`
  const time = new Date(zoned.replace(' ', 'T'))
  return Number.isNaN(time.getTime()) ? null : time
}
