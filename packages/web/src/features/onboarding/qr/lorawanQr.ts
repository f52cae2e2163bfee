import { isEui64, normaliseExternalId } from '@leitstand/contract/identifiers'

/** Content of a device's label. */
export interface DeviceLabel {
  devEui: string
  joinEui?: string
  /** vendor (4 hex digits) and the vendor's profile (4) */
  profileId?: string
  serialNumber?: string
}

export type LabelReading = { label: DeviceLabel } | { fault: 'unknown' | 'checksum' }

/** Fields after the profile, by their first letter. */
const extension = (fields: readonly string[], letter: string) =>
  fields.find((field) => field.startsWith(letter))?.slice(1)

/**
 * Reads the LoRaWAN device identification of TR005, `LW:D0:<JoinEUI>:<DevEUI>:<ProfileID>` with owner token
 * (O), serial number (S), proprietary part (P) and checksum (C) after it in any order, or a bare EUI-64. The
 * owner token is a secret for claiming and is ignored.
 */
export function readLabel(text: string): LabelReading {
  const typed = text.trim().toUpperCase()
  if (isEui64(typed)) return { label: { devEui: normaliseExternalId(typed) } }
  const [scheme, version, joinEui = '', devEui = '', profileId = '', ...others] = typed.split(':')
  if (scheme !== 'LW' || version !== 'D0') return { fault: 'unknown' }
  const plain = /^[0-9A-F]{16}$/
  if (!plain.test(joinEui) || !plain.test(devEui) || !/^[0-9A-F]{8}$/.test(profileId))
    return { fault: 'unknown' }
  const last = others.at(-1)
  if (last && /^C[0-9A-F]{4}$/.test(last)) {
    // Lower case is accepted: labels are printed in capitals.
    const content = typed.slice(0, -(last.length + 1))
    if (checksumOf(content) !== last.slice(1)) return { fault: 'checksum' }
  }
  const serialNumber = extension(others, 'S')
  return { label: { devEui, joinEui, profileId, ...(serialNumber ? { serialNumber } : {}) } }
}

/**
 * CRC-16 with the polynomial x¹⁶ + x¹⁵ + x² + 1, lowest bit first, initial value all ones; four hex digits.
 */
function checksumOf(text: string): string {
  let rest = 0xffff
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >> 1) ^ 0xa001 : rest >> 1
  }
  return rest.toString(16).toUpperCase().padStart(4, '0')
}
