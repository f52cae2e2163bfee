import type { Layout, ParserOf } from '@leitstand/contract/parsers'

/** A number as its input holds it: a string if empty or incomplete. */
export type Typed = number | string

/** A layout field with the entries of all types; `toParser` uses those of its own type. */
export interface FieldValues {
  target: string
  type: 'integer' | 'float' | 'boolean' | 'text' | 'bcd'
  unit: 'byte' | 'bit'
  offset: Typed
  length: Typed
  optional: boolean
  signed: boolean
  endian: 'big' | 'little'
  inverted: boolean
  encoding: 'utf8' | 'latin1' | 'hex'
  factor: Typed
  summand: Typed
  /** empty: not rounded */
  decimals: Typed
}

export interface LayoutValues {
  title: string
  when: {
    /** numbers as strings */
    ports: string[]
    lengthMin: Typed
    lengthMax: Typed
    bytes: { offset: Typed; value: string }
  }
  fields: FieldValues[]
}

/** Values of the kinds with layouts. */
export type LayoutsValues = { layouts: LayoutValues[] }

export const fieldTypes = ['integer', 'float', 'boolean', 'text', 'bcd'] as const

export const emptyField = (): FieldValues => ({
  target: '',
  type: 'integer',
  unit: 'byte',
  offset: 0,
  length: 1,
  optional: false,
  signed: false,
  endian: 'big',
  inverted: false,
  encoding: 'utf8',
  factor: 1,
  summand: 0,
  decimals: 10,
})

export const emptyLayout = (): LayoutValues => ({
  title: '',
  when: { ports: [], lengthMin: '', lengthMax: '', bytes: { offset: 0, value: '' } },
  fields: [emptyField()],
})

/** The next field: after the last one, with its type and unit. */
export function nextField(fields: readonly FieldValues[]): FieldValues {
  const last = fields.at(-1)
  if (!last) return emptyField()
  const { unit, type, length } = last
  const end = Number(last.offset) + Number(length)
  return { ...emptyField(), unit, type, length, offset: Number.isFinite(end) ? end : 0 }
}

type Field = ParserOf<'single'>['fields'][number]

export function toFieldValues(field: Field): FieldValues {
  const { decimals } = { decimals: 10, ...field }
  return { ...emptyField(), ...field, decimals: decimals ?? '' }
}

/** A layout as form values. */
export function toLayoutValues({ title, when, fields }: Layout): LayoutValues {
  return {
    title,
    when: {
      ports: when.ports.map(String),
      lengthMin: when.lengthMin ?? '',
      lengthMax: when.lengthMax ?? '',
      bytes: when.bytes ?? { offset: 0, value: '' },
    },
    fields: fields.map(toFieldValues),
  }
}

export function toLayout({ title, when, fields }: LayoutValues) {
  const value = when.bytes.value.replace(/\s/g, '').toUpperCase()
  return {
    title,
    when: {
      ports: when.ports.map(numberOf),
      lengthMin: numberOrNull(when.lengthMin),
      lengthMax: numberOrNull(when.lengthMax),
      bytes: value === '' ? null : { offset: numberOf(when.bytes.offset), value },
    },
    fields: fields.map(toField),
  }
}

export function toField(field: FieldValues): Field {
  const { type, unit, optional, endian, signed, inverted, encoding } = field
  const place = {
    target: field.target.trim(),
    unit,
    optional,
    offset: numberOf(field.offset),
    length: numberOf(field.length),
  }
  const scale = {
    factor: numberOf(field.factor),
    summand: numberOf(field.summand),
    decimals: numberOrNull(field.decimals),
  }
  switch (type) {
    case 'integer':
      return { type, ...place, signed, endian, ...scale }
    case 'float':
    case 'bcd':
      return { type, ...place, endian, ...scale }
    case 'boolean':
      return { type, ...place, inverted }
    case 'text':
      return { type, ...place, encoding }
  }
}

export function numberOf(typed: Typed): number {
  return typeof typed === 'number' ? typed : typed.trim() === '' ? Number.NaN : Number(typed)
}

function numberOrNull(typed: Typed): number | null {
  return typed === '' ? null : numberOf(typed)
}

/**
 * Bits a field covers, from `from` (inclusive) to `to` (exclusive); null while its numbers are incomplete.
 */
export function bitsOf({ unit, offset, length }: FieldValues): { from: number; to: number } | null {
  const size = unit === 'byte' ? 8 : 1
  const [from, count] = [numberOf(offset) * size, numberOf(length) * size]
  const isPlace = Number.isInteger(from) && Number.isInteger(count) && from >= 0 && count > 0
  return isPlace ? { from, to: from + count } : null
}

/** The same position in the other unit, if it can be expressed. */
export function inUnit(field: FieldValues, unit: 'byte' | 'bit'): FieldValues {
  const by = (typed: number | string) => {
    if (unit === field.unit || typed === '' || !Number.isFinite(Number(typed))) return typed
    return unit === 'bit' ? Number(typed) * 8 : Math.floor(Number(typed) / 8)
  }
  const length = by(field.length)
  return { ...field, unit, offset: by(field.offset), length: length === 0 ? 1 : length }
}

/** Maximum bytes in the picture of a payload. */
export const pictureBytesMax = 128

/** One byte of the picture: its digits, and which fields its bits belong to. */
export interface PictureByte {
  index: number
  /** two hexadecimal digits; null beyond the end of the packet */
  hex: string | null
  /**
   * its eight bits, most significant first; `field` is null without a field, and the later one if two overlap
   */
  bits: { bit: number; field: number | null }[]
}

/**
 * A payload's bytes with their fields. Bytes beyond the end of the packet have no digits.
 * @param hex payload as hexadecimal digits, empty for none
 */
export function pictureOf(hex: string, fields: readonly FieldValues[]): PictureByte[] {
  const places = fields.map(bitsOf)
  const reach = Math.max(0, ...places.map((place) => (place === null ? 0 : Math.ceil(place.to / 8))))
  const count = Math.min(pictureBytesMax, Math.max(reach, hex.length / 2))
  return Array.from({ length: count }, (_, index) => ({
    index,
    hex: hex.slice(index * 2, index * 2 + 2).toUpperCase() || null,
    bits: Array.from({ length: 8 }, (_bit, at) => {
      const bit = index * 8 + at
      const found = places.findLastIndex((place) => place !== null && bit >= place.from && bit < place.to)
      return { bit, field: found === -1 ? null : found }
    }),
  }))
}
