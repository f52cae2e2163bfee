import type { Preset } from './bridge.ts'

const eui64 =
  /^(?:0x)?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})$/i

/** Whether a text is an EUI-64 in any of the usual notations: 16 hex digits, pairs separated by `-`, `:`, `.` or blank. */
export function isEui64(text: string): boolean {
  return eui64.test(text.trim())
}

/**
 * The form in which external ids are stored and compared: an EUI-64 as 16 upper-case hex digits without
 * separators, anything else unchanged except for surrounding blanks.
 */
export function normaliseExternalId(text: string): string {
  const trimmed = text.trim()
  const pairs = eui64.exec(trimmed)
  return pairs === null ? trimmed : pairs.slice(1).join('').toUpperCase()
}

/** Whether this is a valid id of a device or an application in The Things Stack. */
export function isTtsId(text: string): boolean {
  return /^(?=.{3,36}$)[a-z0-9](?:-?[a-z0-9])+$/.test(text)
}

/**
 * Whether a device can have this external id if messages are parsed with this preset. LoRaWAN network servers
 * identify devices by their DevEUI, an EUI-64. The Things Stack also has devices without one and identifies
 * these by device id; a text that resembles an EUI but is invalid is treated as a typing error there, too.
 */
export function fitsPreset(text: string, preset: Preset): boolean {
  if (preset === 'chirpstack-v4') return isEui64(text)
  if (preset === 'tts-v3') return isEui64(text) || (!looksLikeEui(text) && isTtsId(text.trim()))
  return true
}

/** Mostly hexadecimal digits and separators, about as many as in an EUI: probably a mistyped EUI. */
export function looksLikeEui(text: string): boolean {
  const plain = text.trim().replace(/^eui-/i, '')
  const digits = plain.replace(/[^0-9a-f]/gi, '').length
  return /^[0-9a-f\s:.-]+$/i.test(plain) && digits >= 12 && digits <= 20
}
