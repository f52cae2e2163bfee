import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { Executor } from '../../platform/db/index.ts'
import { hashToken } from './sessions.ts'
import type { Counter } from './store/attempts.ts'
import { findKnown, keepDevice, keepNetwork } from './store/known.ts'

const dayMs = 24 * 3_600_000
/** A browser not used to sign in for this long is forgotten. */
export const deviceLastsMs = 180 * dayMs
/** Shorter, since addresses are reassigned to other people. */
export const networkLastsMs = 30 * dayMs

/** Where an attempt to sign in comes from. */
export interface Origin {
  /** the cookie of a browser that was used to sign in before */
  deviceToken: string | null
  ip: string
}

/**
 * The counter for a sign-in attempt: that of the browser or network this user has signed in from before,
 * otherwise the one shared by all strangers. So a stranger who guesses passwords locks out only strangers.
 */
export async function counterOf(db: Executor, userId: number, origin: Origin, now: Date): Promise<Counter> {
  const known = await findKnown(db, {
    userId,
    tokenHash: origin.deviceToken === null ? null : hashToken(origin.deviceToken),
    devicesSince: new Date(now.getTime() - deviceLastsMs),
    network: networkOf(origin.ip),
    networksSince: new Date(now.getTime() - networkLastsMs),
  })
  return known ?? { kind: 'stranger', userId }
}

/**
 * Remembers where a user signed in from. The browser gets a new cookie each time, so that a planted or copied
 * one becomes useless.
 * @returns the new cookie, and when it expires
 */
export async function rememberOrigin(
  tx: Executor,
  userId: number,
  { deviceToken, ip }: Origin,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const before = deviceToken === null ? null : hashToken(deviceToken)
  await keepDevice(tx, { userId, before, tokenHash: hashToken(token), at: now })
  const network = networkOf(ip)
  if (network !== null) await keepNetwork(tx, { userId, network, at: now })
  return { token, expiresAt: new Date(now.getTime() + deviceLastsMs) }
}

/** An IPv4 address, or the first 64 bits of an IPv6 one, since a customer usually gets a whole /64. */
export function networkOf(ip: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  const address = mapped ?? ip
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6) return null
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  // A trailing IPv4 address counts as two groups.
  const shown = front.length + back.length + (address.includes('.') ? 1 : 0)
  const groups = [...front, ...Array<string>(8 - shown).fill('0'), ...back]
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${first.join(':')}::/64`
}
