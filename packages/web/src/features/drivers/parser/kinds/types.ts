import type { Parser } from '@leitstand/contract/parsers'
import type { UseFormReturnType } from '@mantine/form'
import type { ComponentType } from 'react'
import type { ParseResult } from '../../queries.ts'
import type { DriverValues } from '../../values.ts'
import type { useTrial } from '../useTrial.ts'

export interface EditorProps {
  form: UseFormReturnType<DriverValues>
  readOnly: boolean
  /** whether a token for its address is stored */
  hasToken: boolean
  /** hexadecimal digits of the packet that is looked at in the tester */
  hex: string
  trial: ReturnType<typeof useTrial>
  result: ParseResult | undefined
}

/** What the console has of a kind of parsers: a folder beside this file. Its texts are `drivers.kind.name.<kind>` and `.hint`. */
export interface ConsoleParser<V extends object, P extends Parser> {
  /** where its form starts, beside the kind */
  empty(): V
  toValues(parser: P): V
  /** What the API takes. Numbers that are none become NaN, which the contract's schema refuses at their field. */
  toParser(values: V): P
  Editor?: ComponentType<EditorProps>
  /** where its script starts, for kinds that have one */
  scriptStart?: string
  /** Where packets leave the platform for, with a token; absent: they stay. */
  addressOf?(parser: P): string
  /** The field of the form for a fault of the parser, where it has another place there. */
  placeOfFault?(path: string): string
}
