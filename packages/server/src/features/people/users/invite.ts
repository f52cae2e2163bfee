import type { Context } from '../../../platform/context.ts'
import { invitationMail, languageOf } from '../passwords/mails.ts'
import { deleteTokensOf } from '../passwords/store.ts'
import { mailLink } from '../passwords/tokens.ts'
import type { Invite } from './users.ts'

/** Mails new users a link to set their password; earlier links stop working. */
export function invitations(ctx: Pick<Context, 'mail' | 'config' | 'clock'>): Invite {
  return async (tx, user) => {
    await deleteTokensOf(tx, user.id)
    await mailLink(ctx, tx, { ...user, language: languageOf(user.properties) }, 'invite', invitationMail)
  }
}
