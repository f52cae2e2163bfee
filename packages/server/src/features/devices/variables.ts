import type { DriverVariable, GoldenPacket } from '@leitstand/contract/drivers'
import { type Field, fieldsOf, type Parser } from '@leitstand/contract/parsers'
import type { ValueType } from '@leitstand/contract/states'
import { typeOf } from '../series/index.ts'

/** The state for a variable of a driver. */
export interface DriverState {
  key: string
  title: string
  unit: string
  valueType: ValueType
}

/** The parts of a driver version that describe its variables. */
export interface Describing {
  parser: Parser
  variables: readonly DriverVariable[]
  golden: readonly GoldenPacket[]
}

/** States for the variables of a driver. Variables of unknown type become numbers. */
export function statesOf(content: Describing): DriverState[] {
  const types = typesOf(content)
  return content.variables.map(({ key, title, unit }) => {
    return { key, title, unit, valueType: types.get(key) ?? 'number' }
  })
}

/**
 * Known types of the variables of a driver: the declared type, else the type in its layouts and golden
 * packets. A variable with values of several types is JSON, which accepts all of them.
 */
export function typesOf({ parser, variables, golden }: Describing): Map<string, ValueType> {
  const fields = fieldsOf(parser)
  return new Map(
    variables.flatMap(({ key, valueType }): [string, ValueType][] => {
      const read = fields.filter(({ target }) => target === key).map(({ type }) => fieldTypes[type])
      const shown = golden
        .flatMap(({ expected }) => (Object.hasOwn(expected, key) ? [expected[key] ?? null] : []))
        .filter((value) => value !== null)
        .map(typeOf)
      const [type, ...others] = new Set(valueType ? [valueType] : [...read, ...shown])
      return type === undefined ? [] : [[key, others.length > 0 ? 'json' : type]]
    }),
  )
}

const fieldTypes: Readonly<Record<Field['type'], ValueType>> = {
  integer: 'number',
  float: 'number',
  bcd: 'number',
  boolean: 'boolean',
  text: 'text',
}
