import type { JsonValue } from '@leitstand/contract/common'
import { DateTime } from 'luxon'
import { numberText } from '../series/index.ts'
import type { Inputs } from './conditions/types.ts'

/** Values for the placeholders of a rule's texts. `timeZone` is the account's, IANA. */
export interface TextValues {
  inputs: Inputs
  /** Decimals of the states that the inputs show, by alias; the others are shown as they are. */
  decimals: ReadonlyMap<string, number>
  twinTitle: string
  ruleTitle: string
  at: Date
  timeZone: string
}

/** Placeholders that are not aliases of metrics. */
export const fixedPlaceholders = ['twin.title', 'rule.title', 'time'] as const

const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g
/** Values in texts are truncated to this length, so that a JSON state cannot fill a mail. */
const valueLengthMax = 1000

/**
 * Replaces `{{alias}}`, `{{twin.title}}`, `{{rule.title}}` and `{{time}}` in one pass: placeholders inside of
 * values are not expanded. The result is plain text: control characters of values are removed, a missing
 * value is a dash.
 */
export function renderText(template: string, values: TextValues): string {
  return template.replace(placeholder, (whole, name: string) => {
    if (name === 'twin.title') return plain(values.twinTitle)
    if (name === 'rule.title') return plain(values.ruleTitle)
    if (name === 'time') return formatTime(values.at, values.timeZone)
    if (!Object.hasOwn(values.inputs, name)) return whole
    return formatValue(values.inputs[name] ?? null, values.decimals.get(name) ?? null)
  })
}

/** A text for a single line, e.g. the subject of a mail: line breaks become spaces. */
export function renderLine(template: string, values: TextValues): string {
  return renderText(template, values).replace(/\s+/g, ' ').trim()
}

/** Names of the placeholders in a text, each once. */
export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(placeholder)].map((match) => match[1] as string))]
}

function formatValue(value: JsonValue, decimals: number | null): string {
  if (value === null) return '–'
  if (typeof value === 'number') return numberText(value, decimals)
  if (typeof value === 'object') return plain(JSON.stringify(value))
  return plain(String(value))
}

function formatTime(at: Date, timeZone: string): string {
  const local = DateTime.fromJSDate(at, { zone: timeZone })
  return `${(local.isValid ? local : DateTime.fromJSDate(at, { zone: 'UTC' })).toFormat('yyyy-MM-dd HH:mm:ss')} ${local.isValid ? timeZone : 'UTC'}`
}

function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, valueLengthMax)
}
