import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { accountOfDomain, domainOfHost, findAccount } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import type { RightsOf } from '../../rights/index.ts'
import { ownSelf } from '../person.ts'
import { aboutUser } from '../sessions/about.ts'
import { readUser } from '../store/users.ts'
import { readTerms, storeConsent } from './store.ts'

export function termsRoutes({ db }: Context, rightsOf: RightsOf) {
  return {
    ofAccount: os.terms.ofAccount.handler(async ({ input: { id }, context: { caller } }) => {
      const seen = (await rightsOf(caller)).scopes.map((scope) => scope.id)
      const user = caller.userId === null ? undefined : await readUser(db, caller.userId)
      const own = user?.account_id ?? caller.accountId
      if (id !== own && !(await findAccount(db, id, seen))) throw new AppError('TENANT_NOT_FOUND', { id })
      const terms = await readTerms(db, id)
      if (terms === null) return { text: null, accountId: null, accountName: '', since: null, revision: '' }
      const { text, accountId, accountName, scopeId, since, revision } = terms
      const inSight = seen.includes(scopeId)
      return {
        text,
        revision,
        since: since?.toISOString() ?? null,
        ...(inSight ? { accountId, accountName } : { accountId: null, accountName: '' }),
      }
    }),
  }
}

export function publicTermsRoutes({ db, config }: Context) {
  return {
    ofDomain: os.terms.ofDomain.handler(async ({ input: { domain } }) => {
      const owner = await accountOfDomain(db, domainOfHost(config.publicUrl, domain))
      const terms = await readTerms(db, owner)
      if (terms === null) return { text: null, since: null, revision: '' }
      const { text, since, revision } = terms
      return { text, since: since?.toISOString() ?? null, revision }
    }),
  }
}

export function consentRoutes({ db, clock }: Context) {
  return {
    acceptTerms: os.user.acceptTerms.handler(async ({ input, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      const accepted = clock.now().toISOString()
      await db.transaction().execute(async (tx) => {
        const user = await readUser(tx, userId)
        if (!user) throw new AppError('AUTH_TOKEN_NOT_FOUND')
        const terms = await readTerms(tx, user.account_id)
        // The text may have changed while the user was reading it.
        if (terms?.revision !== input.revision) throw new AppError('VERSION_CONFLICT')
        const { accountId, revision } = terms
        await storeConsent(tx, userId, { accepted, accountId, revision })
        const about = await aboutUser(tx, userId)
        await recordActivity(tx, caller, { action: 'acceptTerms', ...about, changes: { revision } })
      })
      return { accepted }
    }),
  }
}
