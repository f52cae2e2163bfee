import { isJson, type JsonValue } from '@leitstand/contract/common'
import type { ValueType } from '@leitstand/contract/states'

/** The columns of a stored value; exactly one is set. */
export interface ValueColumns {
  num: number | null
  txt: string | null
  bool: boolean | null
  json: string | null
}

/** A row with a value as returned by the database; `json` is parsed. */
export interface ValueRow {
  num: number | null
  txt: string | null
  bool: boolean | null
  json: unknown
}

const none: ValueColumns = { num: null, txt: null, bool: null, json: null }

/**
 * The columns of a value for a state of this type, or null when the value does not have the type.
 * Numbers must be finite, also those within JSON: 1e999 is read as infinite, and would be stored as null.
 * Boolean states also accept 0 and 1, because many devices report switches that way. Nothing else is converted: a
 * number sent as text is an error that should be reported.
 */
export function toColumns(value: JsonValue, type: ValueType): ValueColumns | null {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? { ...none, num: value } : null
    case 'text':
      return typeof value === 'string' ? { ...none, txt: value } : null
    case 'boolean':
      if (value === 0 || value === 1) return { ...none, bool: value === 1 }
      return typeof value === 'boolean' ? { ...none, bool: value } : null
    case 'json':
      return isJson(value) ? { ...none, json: JSON.stringify(value) } : null
  }
}

/** The value of a row. */
export function fromColumns(row: ValueRow): JsonValue {
  if (row.num !== null) return row.num
  if (row.txt !== null) return row.txt
  if (row.bool !== null) return row.bool
  return (row.json ?? null) as JsonValue
}

/** The type of a state that is created for a received value. */
export function typeOf(value: JsonValue): ValueType {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' ? 'text' : 'json'
}
