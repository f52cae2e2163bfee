import { randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Slots } from '../../platform/slots.ts'

/** Argon2id, the library's default, with what OWASP asks for (19 MiB, 2 passes, 1 lane), outside the main thread. */
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * Each takes 19 MiB and one of the four threads that files and name look-ups need, too; whoever signs in when hundreds
 * do waits a moment.
 */
const slots = new Slots({ runningMax: 2, waitingMax: 500 })

/** Characters of made passwords: none that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'
const madeLength = 20

/** @throws AppError OVERLOADED when too many wait already */
export function hashPassword(password: string): Promise<string> {
  return slots.run(() => hash(password.normalize('NFKC'), settings))
}

/** Made at the start, so that the first attempt with an unknown name takes no longer than any other. */
const nobody = hashPassword(makePassword())

/**
 * Whether the password fits. Without a hash (unknown user, user without a password) as much time is spent and the
 * answer is no, so that nobody can find out which users exist.
 * @throws AppError OVERLOADED when too many wait already; nothing was compared then
 */
export async function passwordFits(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? (await nobody)
  const fits = await slots.run(() => verify(known, password.normalize('NFKC')))
  return fits && passwordHash !== null
}

/** A random password of about 110 bits. */
export function makePassword(): string {
  return Array.from({ length: madeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}
