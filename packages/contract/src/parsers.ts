import * as z from 'zod'
import { limits } from './common.ts'

export const parserKinds = ['single', 'multi', 'function', 'url', 'elixir', 'unset'] as const
export type ParserKind = (typeof parserKinds)[number]

export const parserLimits = {
  fieldsMax: 200,
  layoutsMax: 50,
  /** places a value can be rounded to */
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

/** Bytes as text: digits 0-9 and A-F in pairs. Small letters become capital ones. */
export const HexString = z
  .string()
  .toUpperCase()
  .refine((text) => /^(?:[0-9A-F]{2})+$/.test(text), 'hexString')

/**
 * Where a field stands. Bytes and bits count from 0; bit 0 is the most significant one of byte 0, bit 8 that of byte 1.
 * With `optional` a payload that ends before it lacks the variable; otherwise it is refused.
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

/** What is read, × `factor` + `summand`, rounded to `decimals`; null: not rounded. */
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
/** True when one of the bits is set, or none of them with `inverted`. */
const BooleanField = z.object({ type: z.literal('boolean'), ...place, inverted: z.boolean().default(false) })
/** Ends at the first NUL; `hex` is the bytes as hexadecimal text, all of them. */
const TextField = z.object({
  type: z.literal('text'),
  ...place,
  encoding: z.enum(['utf8', 'latin1', 'hex']).default('utf8'),
})
/** Digits of four bits each. */
const BcdField = z.object({ type: z.literal('bcd'), ...place, endian, ...scale })

export const fieldTypes = ['integer', 'float', 'boolean', 'text', 'bcd'] as const

const AnyField = z.discriminatedUnion('type', [IntegerField, FloatField, BooleanField, TextField, BcdField])

/** One value in a payload of bytes. */
export const Field = AnyField.superRefine((field, context) => {
  const message = lengthFault(field)
  if (message !== null) context.addIssue({ code: 'custom', path: ['length'], message })
})
export type Field = z.infer<typeof Field>

/** Why a field cannot have its length; null: it can. */
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

/** Fields of one layout: no target twice. */
const Fields = z
  .array(Field)
  .min(1)
  .max(parserLimits.fieldsMax)
  .superRefine((fields, context) => {
    for (const [index, { target }] of fields.entries()) {
      if (fields.findIndex((other) => other.target === target) < index)
        context.addIssue({ code: 'custom', path: [index, 'target'], message: 'targetTwice' })
    }
  })

/** When a layout applies: all that is stated must hold. */
export const LayoutCondition = z.object({
  /** empty: any */
  ports: z.array(z.int().min(0).max(255)).max(50).default([]),
  /** bytes of the payload */
  lengthMin: z.int().min(0).max(limits.payloadBytesMax).nullable().default(null),
  lengthMax: z.int().min(0).max(limits.payloadBytesMax).nullable().default(null),
  /** what the payload has at this byte */
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

/** The first one that applies is used; behind one that always applies none would ever be. */
const Layouts = z
  .array(Layout)
  .min(1)
  .max(parserLimits.layoutsMax)
  .superRefine((layouts, context) => {
    for (const [index, { when }] of layouts.entries()) {
      if (index < layouts.length - 1 && isUnconditional(when))
        context.addIssue({ code: 'custom', path: [index, 'when'], message: 'layoutAlways' })
    }
  })

/**
 * How a driver reads packets. `function` and `elixir` have their source in `script`; with `unset` packets of bytes are
 * kept unread, and the fields of JSON ones are its variables.
 */
export const Parser = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('single'), fields: Fields }),
  z.object({ kind: z.literal('multi'), layouts: Layouts }),
  z.object({ kind: z.literal('function') }),
  /** somebody else's program reads packets, see docs/drivers.md */
  z.object({
    kind: z.literal('url'),
    url: z.url({ protocol: /^https?$/ }).max(2000),
    /** of one attempt; all of them together take 5 s at most */
    timeoutMs: z.int().min(100).max(parserLimits.urlTimeoutMsMax).default(1000),
    /** further attempts where the first one fails for a reason that may pass */
    retries: z.int().min(0).max(parserLimits.urlRetriesMax).default(1),
  }),
  z.object({ kind: z.literal('elixir') }),
  z.object({ kind: z.literal('unset') }),
])
export type Parser = z.infer<typeof Parser>

/**
 * A variable computed from the others of a packet, e.g. `temperature * 1.8 + 32`. Left out for packets that lack one of
 * the variables it names; `variables['name']` asks for one that may be missing.
 */
export const Calculated = z.object({
  key: VariableKey,
  /** one JavaScript expression; variables by their names, besides `variables`, `meta`, `fPort`, `time` */
  expression: z.string().trim().min(1).max(parserLimits.expressionLengthMax),
})
export type Calculated = z.infer<typeof Calculated>

export const CalculatedList = z
  .array(Calculated)
  .max(parserLimits.calculatedMax)
  .superRefine((list, context) => {
    for (const [index, { key }] of list.entries()) {
      if (list.findIndex((other) => other.key === key) < index)
        context.addIssue({ code: 'custom', path: [index, 'key'], message: 'targetTwice' })
    }
  })

/** Targets of a parser that are known without running it: those of its layouts. */
export function targetsOf(parser: Parser): string[] {
  if (parser.kind === 'single') return parser.fields.map(({ target }) => target)
  if (parser.kind !== 'multi') return []
  return [...new Set(parser.layouts.flatMap(({ fields }) => fields.map(({ target }) => target)))]
}

/** All names of variables a driver states, each once: targets, calculated ones and those it describes. */
export function variableNames(driver: {
  parser: Parser
  calculated: readonly { key: string }[]
  variables: readonly { key: string }[]
}): string[] {
  const { parser, calculated, variables } = driver
  return [
    ...new Set([
      ...targetsOf(parser),
      ...calculated.map(({ key }) => key),
      ...variables.map(({ key }) => key),
    ]),
  ]
}

/** Names that differ from another only by case, as `one / One`: they become two states that are easily mixed up. */
export function lookAlikes(names: readonly string[]): string[] {
  const seen = new Map<string, string>()
  const found: string[] = []
  for (const key of names) {
    const other = seen.get(key.toLowerCase())
    if (other !== undefined && other !== key) found.push(`${other} / ${key}`)
    seen.set(key.toLowerCase(), key)
  }
  return found
}
