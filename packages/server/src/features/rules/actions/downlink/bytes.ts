import type { JsonValue } from '@leitstand/contract/common'
import { downlinkLimits } from '@leitstand/contract/downlinkPayload'

const { payloadBytesMax } = downlinkLimits

/** The bytes that a script returned, as hexadecimal text; null: it returned none, or too many. */
export function bytesOf(value: JsonValue): string | null {
  if (typeof value === 'string') {
    const hex = value.replace(/\s+/g, '').toLowerCase()
    return /^(?:[0-9a-f]{2})+$/.test(hex) && hex.length <= 2 * payloadBytesMax ? hex : null
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > payloadBytesMax) return null
  const isByte = (each: JsonValue): each is number =>
    typeof each === 'number' && Number.isInteger(each) && each >= 0 && each <= 255
  return value.every(isByte) ? Buffer.from(value).toString('hex') : null
}
