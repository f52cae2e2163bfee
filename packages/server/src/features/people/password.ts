import { randomInt } from 'node:crypto'
import { hash, verify } from '../../platform/hashing/index.ts'
import { hashesMax, Slots } from '../../platform/slots.ts'

/**
 * Argon2id, the library's default, with OWASP's parameters (19 MiB, 2 passes, 1 lane).
 */
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * Each hash takes 19 MiB and a processor, so concurrent sign-ins queue.
 */
const slots = new Slots({ runningMax: hashesMax, waitingMax: 500 })

/** Characters of generated passwords: none that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'
const madeLength = 20

/** @throws AppError OVERLOADED when the queue is full */
export function hashPassword(password: string): Promise<string> {
  return slots.run(() => hash(password.normalize('NFKC'), settings))
}

/** Computed at startup, so that the first attempt with an unknown name takes no longer than any other. */
const nobody = hashPassword(makePassword())

/**
 * Whether the password is correct. Without a hash (unknown user, user without a password) it takes the same
 * time and returns false, so that timing does not reveal which users exist.
 * @throws AppError OVERLOADED when the queue is full; nothing was compared then
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
