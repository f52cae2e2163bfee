import { randomBytes } from 'node:crypto'
import type { Executor } from '../../../platform/db/index.ts'
import { hashToken } from '../sessions.ts'
import { insertToken, type TokenPurpose } from './store.ts'

const hourMs = 3_600_000
/** An invitation may wait over a holiday; whoever forgot a password waits for the mail. */
export const tokenLastsMs: Readonly<Record<TokenPurpose, number>> = {
  reset: hourMs,
  invite: 7 * 24 * hourMs,
}

/**
 * Makes a token with which somebody sets a password, once. Only its hash is stored.
 * @returns the token, for the link `/#/change-password?token=…`
 */
export async function issueToken(
  tx: Executor,
  userId: number,
  purpose: TokenPurpose,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + tokenLastsMs[purpose])
  await insertToken(tx, { hash: hashToken(token), userId, purpose, at: now, expiresAt })
  return token
}
