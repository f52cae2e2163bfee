import type { Encoding } from './queries.ts'

/** Result of checking a typed or pasted payload. */
export type PayloadCheck =
  | { ok: true; text: string }
  | { ok: false; fault: 'empty' | 'hex' | 'base64' | 'json' }

/**
 * Checks a typed payload: hexadecimal may contain spaces, colons, commas and `0x`.
 * @returns the text in the API's format
 */
export function checkPayload(text: string, encoding: Encoding): PayloadCheck {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, fault: 'empty' }
  if (encoding === 'json') return isJson(trimmed) ? { ok: true, text: trimmed } : { ok: false, fault: 'json' }
  if (encoding === 'base64') {
    const bare = trimmed.replace(/\s/g, '')
    return /^[A-Za-z0-9+/_-]+={0,2}$/.test(bare) ? { ok: true, text: bare } : { ok: false, fault: 'base64' }
  }
  const bare = trimmed.replace(/0x/gi, '').replace(/[\s:,;-]/g, '')
  return /^(?:[0-9a-f]{2})+$/i.test(bare)
    ? { ok: true, text: bare.toLowerCase() }
    : { ok: false, fault: 'hex' }
}

/** The most likely encoding of a pasted text; undefined if it fits the current one. */
export function guessEncoding(text: string, current: Encoding): Encoding | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || checkPayload(trimmed, current).ok) return undefined
  const order: readonly Encoding[] = ['base16', 'json', 'base64']
  return order.find((encoding) => encoding !== current && checkPayload(trimmed, encoding).ok)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
