import type { Fault, Remark } from '@leitstand/contract/errors'
import type { TFunction } from 'i18next'
import { formatTime } from './format.ts'

/** Codes whose message only repeats them in English. */
const wholeCodes: readonly string[] = [
  ...['DRIVER_MISSING', 'PARSER_NEEDS_BYTES', 'PARSER_UNSET', 'PARSER_ELIXIR_MISSING', 'PARSER_URL_BUSY'],
  'PARSER_ELIXIR_OVER_BUDGET',
  ...['SCRIPT_TIMEOUT', 'SCRIPT_MEMORY', 'SCRIPT_OUTPUT_TOO_LARGE', 'SCRIPT_CRASHED', 'SCRIPT_QUARANTINED'],
  'SCRIPT_ENGINE_BUSY',
]

/** Title of a packet error, by its code. */
export function faultTitle(t: TFunction, { code }: Pick<Fault, 'code'>): string {
  return t(`errors.${code}`, { defaultValue: code })
}

/**
 * Details of an error beyond its code, in the user's language; messages of scripts and external parsers are
 * not translated. Null: nothing.
 */
export function faultDetail(t: TFunction, { code, message, params }: Fault): string | null {
  if (params === undefined) return wholeCodes.includes(code) || message === '' ? null : message
  const { kind, ...values } = params
  const named = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, isTime(key) ? formatTime(String(value)) : value]),
  )
  const place = kind === undefined ? code : `${code}.${kind}`
  return t(`faults.${place}`, { ...named, defaultValue: message })
}

/** A parser's warning, translated; a script's own messages stay unchanged. */
export function remarkText(t: TFunction, { message, params }: Remark): string {
  if (params === undefined) return message
  const { kind, ...values } = params
  return t(`remarks.${kind}`, { ...values, defaultValue: message })
}

const isTime = (key: string) => key === 'time' || key === 'until'
