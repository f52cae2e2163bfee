import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { Executor } from '../../platform/db/index.ts'
import { hashToken } from './sessions.ts'
import type { Counter } from './store/attempts.ts'
import { findKnown, keepDevice, keepNetwork } from './store/known.ts'

const dayMs = 24 * 3_600_000
/** A browser that was not used to sign in for so long is a stranger again. */
export const deviceLastsMs = 180 * dayMs
/** Addresses move on to other people sooner. */
export const networkLastsMs = 30 * dayMs

/** Where an attempt to sign in comes from. */
export interface Origin {
  /** the cookie of a browser somebody has signed in with before */
  deviceToken: string | null
  ip: string
}

/**
 * By which count an attempt to sign in as a user is counted: that of the browser or of the network this user has signed in
 * from before, else the one of all strangers. So a stranger who guesses locks out strangers and nobody else.
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
 * Remembers from where a user has signed in. The browser gets another cookie each time, so that one somebody has planted
 * there, or copied, is worth nothing after that.
 * @returns the new cookie, and when it ends
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

/** An IPv4 address, or the first 64 bits of an IPv6 one, of which one customer has as many as they like. */
export function networkOf(ip: string): string | null {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  const address = mapped ?? ip
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6) return null
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  // A last group in the form of IPv4 stands for two.
  const shown = front.length + back.length + (address.includes('.') ? 1 : 0)
  const groups = [...front, ...Array<string>(8 - shown).fill('0'), ...back]
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${first.join(':')}::/64`
}
