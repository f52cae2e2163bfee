import { randomBytes } from 'node:crypto'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { secretPlace } from '../../../platform/mail/index.ts'
import type { MailKind } from '../../../platform/mail/templates/kind.ts'
import type { Language } from '../../../platform/mail/text.ts'
import { hashToken } from '../sessions.ts'
import { insertToken, setTokenMail, type TokenPurpose } from './store.ts'

const hourMs = 3_600_000
/** Invitations must outlast a holiday; users who forgot their password are waiting for the mail. */
export const tokenLastsMs: Readonly<Record<TokenPurpose, number>> = {
  reset: hourMs,
  invite: 7 * 24 * hourMs,
}

/**
 * Mails a user a one-time link to set a password. Only the hash of its token is stored.
 */
export async function mailLink(
  { mail, config, clock }: Pick<Context, 'mail' | 'config' | 'clock'>,
  tx: Executor,
  user: { id: number; accountId: number; email: string; language: Language },
  purpose: TokenPurpose,
  kind: MailKind<'link'>,
): Promise<void> {
  const now = clock.now()
  const token = randomBytes(32).toString('base64url')
  const hash = hashToken(token)
  const expiresAt = new Date(now.getTime() + tokenLastsMs[purpose])
  await insertToken(tx, { hash, userId: user.id, purpose, at: now, expiresAt })
  const mailId = await mail.write(tx, kind, {
    accountId: user.accountId,
    recipients: [user.email],
    origin: { userId: user.id },
    language: user.language,
    values: { link: secretPlace },
    addresseeId: user.id,
    secret: `${config.publicUrl}/#/change-password?token=${token}`,
  })
  await setTokenMail(tx, hash, mailId)
}
