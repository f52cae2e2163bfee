import type { Context } from '../../../platform/context.ts'
import { languageOf } from '../passwords/mails.ts'
import { deleteTokensOf } from '../passwords/store.ts'
import { mailLink } from '../passwords/tokens.ts'
import type { Invite } from './users.ts'

const texts = {
  de: {
    subject: '{product}: Ihr Zugang',
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
    subject: '{product}: your access',
    body: [
      'Hello,',
      '',
      'you now have access to {product}. Set your password with this link:',
      '',
      '{secret}',
      '',
      'The link is valid for seven days and works once.',
    ].join('\n'),
  },
} as const

/** Mails new users a link to set their password; earlier links stop working. */
export function invitations(ctx: Pick<Context, 'mail' | 'brands' | 'config' | 'clock'>): Invite {
  return async (tx, user) => {
    await deleteTokensOf(tx, user.id)
    await mailLink(ctx, tx, { ...user, language: languageOf(user.properties) }, 'invite', texts)
  }
}
