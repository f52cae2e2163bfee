import * as z from 'zod'
import { limits } from '../../common.ts'

/** Parts of the kinds of parsers that read payloads of bytes by a layout. */

export const parserLimits = {
  fieldsMax: 200,
  layoutsMax: 50,
  /** decimal places that a value can be rounded to */
  decimalsMax: 10,
  integerBitsMax: 64,
  /** 15 digits: all of them are exact */
  bcdBitsMax: 60,
  textBytesMax: 1_000,
  calculatedMax: 50,
  expressionLengthMax: 2_000,
  urlTimeoutMsMax: 3_000,
  urlRetriesMax: 2,
} as const

/** Name of a variable: letters, digits, underscores and dots. */
export const VariableKey = z.string().regex(/^[A-Za-z0-9_.]{1,100}$/)

/** Bytes as text: pairs of the digits 0-9 and A-F. Converted to upper case. */
export const HexString = z
  .string()
  .toUpperCase()
  .refine((text) => /^(?:[0-9A-F]{2})+$/.test(text), 'hexString')

/**
 * Position of a field. Bytes and bits count from 0; bit 0 is the most significant bit of byte 0, bit 8 that
 * of byte 1. With `optional`, the variable is omitted if the payload is too short; otherwise the payload is
 * refused.
 */
const place = {
  target: VariableKey,
  /** of `offset` and `length` */
  unit: z.enum(['byte', 'bit']).default('byte'),
  offset: z
    .int()
    .min(0)
    .max(limits.payloadBytesMax * 8),
  length: z
    .int()
    .min(1)
    .max(parserLimits.textBytesMax * 8),
  optional: z.boolean().default(false),
}

/** The raw value × `factor` + `summand`, rounded to `decimals`; null: not rounded. */
const scale = {
  factor: z.number().default(1),
  summand: z.number().default(0),
  decimals: z.int().min(0).max(parserLimits.decimalsMax).nullable().default(parserLimits.decimalsMax),
}
const endian = z.enum(['big', 'little']).default('big')

/** Length of a field in bits. */
export function bitLength({ unit, length }: { unit: 'byte' | 'bit'; length: number }): number {
  return unit === 'byte' ? length * 8 : length
}

/** First bit of a field. */
export function bitOffset({ unit, offset }: { unit: 'byte' | 'bit'; offset: number }): number {
  return unit === 'byte' ? offset * 8 : offset
}

const IntegerField = z.object({
  type: z.literal('integer'),
  ...place,
  signed: z.boolean().default(false),
  endian,
  ...scale,
})
const FloatField = z.object({ type: z.literal('float'), ...place, endian, ...scale })
/** True when any of the bits is set; with `inverted`, when none is. */
const BooleanField = z.object({ type: z.literal('boolean'), ...place, inverted: z.boolean().default(false) })
/** Ends at the first NUL; `hex` returns all bytes as hexadecimal text. */
const TextField = z.object({
  type: z.literal('text'),
  ...place,
  encoding: z.enum(['utf8', 'latin1', 'hex']).default('utf8'),
})
/** Digits of four bits each. */
const BcdField = z.object({ type: z.literal('bcd'), ...place, endian, ...scale })

export const fieldTypes = ['integer', 'float', 'boolean', 'text', 'bcd'] as const

const AnyField = z.discriminatedUnion('type', [IntegerField, FloatField, BooleanField, TextField, BcdField])

/** One value in a binary payload. */
export const Field = AnyField.superRefine((field, context) => {
  const message = lengthFault(field)
  if (message !== null) context.addIssue({ code: 'custom', path: ['length'], message })
})
export type Field = z.infer<typeof Field>

/** Why the length of a field is invalid; null: it is valid. */
function lengthFault(field: z.infer<typeof AnyField>): string | null {
  const bits = bitLength(field)
  switch (field.type) {
    case 'integer':
      if (field.endian === 'little' && bits !== 16 && bits !== 32) return 'littleEndianLength'
      return bits > parserLimits.integerBitsMax ? 'integerLength' : null
    case 'float':
      return bits === 16 || bits === 32 || bits === 64 ? null : 'floatLength'
    case 'boolean':
      return bits > parserLimits.integerBitsMax ? 'integerLength' : null
    case 'text':
      return bits % 8 === 0 && bits <= parserLimits.textBytesMax * 8 ? null : 'textLength'
    case 'bcd':
      if (field.endian === 'little' && bits % 8 !== 0) return 'bcdLength'
      return bits % 4 === 0 && bits <= parserLimits.bcdBitsMax ? null : 'bcdLength'
  }
}

/** Fields of one layout; targets must be unique. */
export const Fields = z
  .array(Field)
  .min(1)
  .max(parserLimits.fieldsMax)
  .superRefine((fields, context) => {
    for (const [index, { target }] of fields.entries()) {
      if (fields.findIndex((other) => other.target === target) < index)
        context.addIssue({ code: 'custom', path: [index, 'target'], message: 'targetTwice' })
    }
  })

/** When a layout applies: all given conditions must be met. */
export const LayoutCondition = z.object({
  /** empty: every port */
  ports: z.array(z.int().min(0).max(255)).max(50).default([]),
  /** length of the payload in bytes */
  lengthMin: z.int().min(0).max(limits.payloadBytesMax).nullable().default(null),
  lengthMax: z.int().min(0).max(limits.payloadBytesMax).nullable().default(null),
  /** expected values of payload bytes */
  bytes: z
    .object({ offset: z.int().min(0).max(limits.payloadBytesMax), value: HexString })
    .nullable()
    .default(null),
})
export type LayoutCondition = z.infer<typeof LayoutCondition>

export const Layout = z.object({
  title: z.string().max(200).default(''),
  when: LayoutCondition.prefault({}),
  fields: Fields,
})
export type Layout = z.infer<typeof Layout>

/** Whether a layout applies to every payload. */
export function isUnconditional({ ports, lengthMin, lengthMax, bytes }: LayoutCondition): boolean {
  return ports.length === 0 && lengthMin === null && lengthMax === null && bytes === null
}

/** The first matching layout is used, so a layout that always matches must be the last. */
export const Layouts = z
  .array(Layout)
  .min(1)
  .max(parserLimits.layoutsMax)
  .superRefine((layouts, context) => {
    for (const [index, { when }] of layouts.entries()) {
      if (index < layouts.length - 1 && isUnconditional(when))
        context.addIssue({ code: 'custom', path: [index, 'when'], message: 'layoutAlways' })
    }
  })
