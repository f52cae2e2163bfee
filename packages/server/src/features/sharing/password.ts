import { timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../platform/secrets.ts'

/** How long a password opens a link, in milliseconds. */
export const accessLastsMs = 12 * 3_600_000

type Locked = { keyId: number; passwordHash: string | null }

/** What a visitor gets for the password: valid until then, and until the password is changed. */
export function accessFor(secrets: Secrets, share: Locked, untilMs: number): string {
  return `${untilMs.toString(36)}.${macOf(secrets, share, untilMs).toString('base64url')}`
}

/** Whether a visitor has shown the password of a link, or it has none. */
export function isUnlocked(
  secrets: Secrets,
  share: Locked,
  access: string | undefined,
  nowMs: number,
): boolean {
  if (share.passwordHash === null) return true
  const [until = '', shown = ''] = (access ?? '').split('.')
  const untilMs = /^[0-9a-z]{1,10}$/.test(until) ? Number.parseInt(until, 36) : 0
  if (untilMs <= nowMs) return false
  const [mac, given] = [macOf(secrets, share, untilMs), Buffer.from(shown, 'base64url')]
  return given.length === mac.length && timingSafeEqual(given, mac)
}

function macOf(secrets: Secrets, { keyId, passwordHash }: Locked, untilMs: number): Buffer {
  return secrets.mac(`${keyId}\0${untilMs}\0${passwordHash ?? ''}`, 'share access')
}
