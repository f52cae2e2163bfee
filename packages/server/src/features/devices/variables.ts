import type { JsonValue } from '@leitstand/contract/common'
import type { DriverVariable, GoldenPacket } from '@leitstand/contract/drivers'
import type { ValueType } from '@leitstand/contract/states'
import { typeOf } from '../series/index.ts'

/** A state that a variable of a driver becomes. */
export interface NewState {
  key: string
  title: string
  unit: string
  valueType: ValueType
}

/**
 * States for the variables of a driver. The type is the one named, else the one the golden packets show, else number;
 * a variable with values of several types is JSON, which takes them all.
 */
export function statesOf(variables: readonly DriverVariable[], golden: readonly GoldenPacket[]): NewState[] {
  return variables.map(({ key, title, unit, valueType }) => ({
    key,
    title,
    unit,
    valueType:
      valueType ??
      typeFrom(
        golden.flatMap(({ expected }) => (Object.hasOwn(expected, key) ? [expected[key] ?? null] : [])),
      ),
  }))
}

function typeFrom(values: readonly JsonValue[]): ValueType {
  const types = [...new Set(values.filter((value) => value !== null).map(typeOf))]
  if (types.length > 1) return 'json'
  return types[0] ?? 'number'
}
