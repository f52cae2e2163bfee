import type { TFunction } from 'i18next'

const summaryLengthMax = 160

/** One-line summary of an entry: the decoded value, else the raw message. */
export function summary(entry: { decoded: unknown; raw: string }): string {
  const { decoded } = entry
  if (typeof decoded === 'object' && decoded !== null && !Array.isArray(decoded)) {
    const parts = Object.entries(decoded).map(([key, value]) => `${key} ${short(value)}`)
    if (parts.length > 0) return cut(parts.join(' · '))
  }
  return cut(entry.raw.replace(/\s+/g, ' '))
}

function short(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value)
}

function cut(text: string): string {
  return text.length > summaryLengthMax ? `${text.slice(0, summaryLengthMax - 1)}…` : text
}

/** An error of the pipeline in the user's language, by its code; a code without a text shows the server's message. */
export function errorText(error: { code: string; message: string }, t: TFunction): string {
  return t(`errors.${error.code}`, { defaultValue: error.message || error.code })
}
