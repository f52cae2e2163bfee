import type { JsonValue } from '@leitstand/contract/common'
import { isTooRich } from '../../../platform/http/bodySize.ts'
import { isDeeperThan } from '../../../platform/http/depth.ts'

/**
 * Maximum nesting of a message. Measurements stay far below it, and serialising deeper JSON could overflow
 * the stack.
 */
export const messageDepthMax = 100
/** Maximum characters of a device identifier and of a reference id. */
export const identifierLengthMax = 200
export const identifierTooLong = `The identifier may have ${identifierLengthMax} characters`

/**
 * Defensive reading of JSON from external systems: missing values and values of another type are undefined.
 */
export type JsonRecord = { [key: string]: JsonValue }

export function asRecord(value: JsonValue | undefined): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

export function asList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** Text that is not empty; numbers are converted to text. */
export function asText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A number, also given as text: proto3 JSON encodes 64-bit numbers as text. */
export function asNumber(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Standard or URL base64, with or without padding → hex text; undefined when it is neither. */
export function base64ToHex(value: string): string | undefined {
  const text = value.trim()
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined
  // a single character carries six bits: not a whole byte
  if (text.replace(/=+$/, '').length % 4 === 1) return undefined
  return Buffer.from(text, 'base64').toString('hex')
}

/** Limits on the contents of a message; parsing a larger one would block the process. */
const messageBounds = { valuesMax: 400_000, keysMax: 50_000 } as const

/** Whether a text that looks like JSON exceeds the limits. */
export function isTooRichJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && isTooRich(text, messageBounds)
}

/** Parses JSON; undefined when it is not JSON or exceeds the limits. */
export function parseJson(text: string): JsonValue | undefined {
  if (isTooRich(text, messageBounds)) return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined // not JSON is a valid result here; the caller reports it to the sender
  }
}

/**
 * Whether a message is nested deeper than `messageDepthMax`. Every level needs a bracket, and most texts have
 * too few.
 */
export function isTooDeep(text: string, json: JsonValue | undefined): boolean {
  let brackets = 0
  for (let at = 0; at < text.length && brackets <= messageDepthMax; at += 1) {
    const code = text.charCodeAt(at)
    if (code === openBracket || code === openBrace) brackets += 1
  }
  return brackets > messageDepthMax && isDeeperThan(json, messageDepthMax)
}

const openBracket = 0x5b
const openBrace = 0x7b
