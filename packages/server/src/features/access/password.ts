import { randomInt } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** Argon2id, the library's default, with what OWASP asks for (19 MiB, 2 passes, 1 lane), outside the main thread. */
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Characters of made passwords: none that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'
const madeLength = 20

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), settings)
}

/** Made at the start, so that the first attempt with an unknown name takes no longer than any other. */
const nobody = hashPassword(makePassword())

/**
 * Whether the password fits. Without a hash (unknown user, user without a password) as much time is spent and the
 * answer is no, so that nobody can find out which users exist.
 */
export async function passwordFits(passwordHash: string | null, password: string): Promise<boolean> {
  const fits = await verify(passwordHash ?? (await nobody), password.normalize('NFKC'))
  return fits && passwordHash !== null
}

/** A random password of about 110 bits. */
export function makePassword(): string {
  return Array.from({ length: madeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}
