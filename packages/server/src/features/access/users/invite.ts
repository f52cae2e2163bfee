import type { Context } from '../../../platform/context.ts'
import { languageOf } from '../passwords/mails.ts'
import { deleteTokensOf } from '../passwords/store.ts'
import { issueToken } from '../passwords/tokens.ts'
import type { Invite } from './users.ts'

const texts = {
  de: {
    subject: 'Leitstand: Ihr Zugang',
    body: [
      'Guten Tag,',
      '',
      'für Sie wurde ein Zugang angelegt. Mit diesem Link setzen Sie Ihr Passwort:',
      '',
      '{secret}',
      '',
      'Der Link gilt sieben Tage und nur einmal.',
    ].join('\n'),
  },
  en: {
    subject: 'Leitstand: your access',
    body: [
      'Hello,',
      '',
      'an access has been set up for you. This link lets you set your password:',
      '',
      '{secret}',
      '',
      'The link is valid for seven days and works once.',
    ].join('\n'),
  },
} as const

/** Mails new users a link with which they set their password; links sent before stop working. */
export function invitations({ mail, config, clock }: Pick<Context, 'mail' | 'config' | 'clock'>): Invite {
  return async (tx, user) => {
    await deleteTokensOf(tx, user.id)
    const token = await issueToken(tx, user.id, 'invite', clock.now())
    await mail.send(tx, {
      ...{ accountId: user.accountId, recipients: [user.email], origin: { userId: user.id } },
      ...texts[languageOf(user.properties)],
      secret: `${config.publicUrl}/#/change-password?token=${token}`,
    })
  }
}
