import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30
/** Phone clocks drift, so the previous and next codes are also valid. */
const window = 1
const codesCount = 10
const groupLength = 5
/** Without characters that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** The parameters every authenticator app supports: SHA-1, six digits, 30 seconds. */
function generator(secret: string, named: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({
    ...named,
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })
}

/** 160 random bits as base32. */
export function makeSecret(): string {
  return new Secret({ size: 20 }).base32
}

/**
 * `otpauth://totp/…`, the content of the QR code.
 * @param issuer what the platform is called for the user; the app shows it above the codes
 */
export function uriOf(secret: string, username: string, issuer: string): string {
  return generator(secret, { issuer, label: username }).toString()
}

/** The time step a code belongs to; null when it is not valid now. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const timestamp = now.getTime()
  const delta = generator(secret).validate({ token: code, timestamp, window })
  return delta === null ? null : Math.floor(timestamp / 1000 / periodSeconds) + delta
}

/** Codes for a lost phone, like `k7mfe-x2qrt`. */
export function makeRecoveryCodes(): string[] {
  const character = () => alphabet[randomInt(alphabet.length)]
  const group = () => Array.from({ length: groupLength }, character).join('')
  return Array.from({ length: codesCount }, () => `${group()}-${group()}`)
}

/** The normalised form of a recovery code, for hashing; null when it is not one. */
export function recoveryCodeOf(text: string): string | null {
  const bare = text.toLowerCase().replace(/[\s-]/g, '')
  return new RegExp(`^[${alphabet}]{${2 * groupLength}}$`).test(bare) ? bare : null
}
