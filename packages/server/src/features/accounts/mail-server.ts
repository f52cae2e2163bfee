import type { MailServerInput } from '@leitstand/contract'
import type { StoredServer } from '../../platform/mail/servers.ts'
import { mailKind } from '../../platform/mail/templates/kind.ts'
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
 * A test mail in both languages, since the recipient's is unknown. `account` is empty when it is sent through another
 * account's server: users who can rename an account must not control the text of others' mails.
 */
export const testMail = mailKind({
  id: 'mailServerTest',
  area: 'account',
  title: { de: 'Testmail eines Mailservers', en: 'Test mail of a mail server' },
  readers: { de: 'wer beim Test angegeben wird', en: 'who is entered for the test' },
  languages: 'one',
  toStrangers: true,
  variables: {
    account: {
      type: 'text',
      label: {
        de: 'Account, dessen Mailserver geprüft wird; fehlt beim Mailserver eines anderen',
        en: "Account whose mail server is tested; missing for another account's server",
      },
      example: { de: 'Stadtwerke', en: 'City utilities' },
    },
  },
  texts: {
    de: {
      subject: '{{product}}: Testmail / test mail',
      body: [
        'Diese Mail prüft den Mailserver {{#account}}des Accounts „{{account}}“{{/account}}{{^account}}eines Accounts{{/account}}. Sie ist angekommen.',
        'This mail tests the mail server of {{#account}}the account “{{account}}”{{/account}}{{^account}}an account{{/account}}. It has arrived.',
      ].join('\n\n'),
    },
    en: {
      subject: '{{product}}: Testmail / test mail',
      body: 'This mail tests the mail server of {{#account}}the account “{{account}}”{{/account}}{{^account}}an account{{/account}}. It has arrived.',
    },
  },
})

/** Limits the test mails of an account, so that no mailbox is flooded. */
export const testRate = { perSecond: 0.1, burst: 6 }
