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
  /** hexadecimal digits of the packet selected in the tester */
  hex: string
  trial: ReturnType<typeof useTrial>
  result: ParseResult | undefined
}

/**
 * The console's part of a parser kind: a folder next to this file. Its texts are `drivers.kind.name.<kind>`
 * and `.hint`.
 */
export interface ConsoleParser<V extends object, P extends Parser> {
  /** initial form values, besides the kind */
  empty(): V
  toValues(parser: P): V
  /**
   * Converts to API input. Invalid numbers become NaN, which the contract's schema rejects at their field.
   */
  toParser(values: V): P
  Editor?: ComponentType<EditorProps>
  /** initial script, for kinds that have one */
  scriptStart?: string
  /** External address that packets, with a token, are sent to; absent: they stay on the platform. */
  addressOf?(parser: P): string
  /** The form field of a parser error, if its path differs. */
  placeOfFault?(path: string): string
}
