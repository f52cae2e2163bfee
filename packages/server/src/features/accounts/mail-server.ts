import type { MailServerInput } from '@leitstand/contract'
import type { StoredServer } from '../../platform/mail/servers.ts'
import { changesBetween } from '../activity/index.ts'

/** Whether a password has to be entered: a stored one is only sent to the server it was entered for. */
export function needsPassword(
  input: Pick<MailServerInput, 'host' | 'port' | 'security' | 'user' | 'password'>,
  stored: Pick<StoredServer, 'host' | 'port' | 'security' | 'user' | 'password'> | null,
): boolean {
  if (input.user === '' || input.password !== undefined) return false
  if (stored === null || stored.password === null) return true
  return (['host', 'port', 'security', 'user'] as const).some((name) => input[name] !== stored[name])
}

/** The changes for the activity log. */
export function changesOf(before: StoredServer | null, after: MailServerInput | null): object {
  if (after === null) return { mailServer: [before?.host ?? null, null] }
  const { password, ...server } = after
  const masked = password === undefined ? {} : { password: [null, '•••'] }
  return { ...changesBetween({ ...before }, server), ...masked }
}

/**
 * A test mail in both languages, since the recipient's is unknown.
 * @param account null when it is sent through another account's server: users who can rename an account must
 *   not control the text of others' mails
 * @param product what the platform is called for the account
 */
export function testMail(account: string | null, product: string): { subject: string; text: string } {
  const [of, des] =
    account === null
      ? ['an account', 'eines Accounts']
      : [`the account “${account}”`, `des Accounts „${account}“`]
  return {
    subject: `${product}: Testmail / test mail`,
    text: [
      `Diese Mail prüft den Mailserver ${des}. Sie ist angekommen.`,
      '',
      `This mail tests the mail server of ${of}. It has arrived.`,
    ].join('\n'),
  }
}

/** Limits the test mails of an account, so that no mailbox is flooded. */
export const testRate = { perSecond: 0.1, burst: 6 }
