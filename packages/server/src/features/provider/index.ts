import type { Context } from '../../platform/context.ts'
import type { PeopleFeature } from '../people/index.ts'
import { groundsChanged } from '../rights/index.ts'
import { builderRoutes } from './builders/routes.ts'
import { exchangeRoutes } from './exchange.ts'
import { renewKeys } from './keys.ts'
import { mountProvider } from './mount.ts'
import { OAuthProvider } from './provider.ts'
import { deleteEndedRecords } from './records.store.ts'
import { requestRoutes } from './requests.ts'
import { applicationRoutes } from './routes.ts'
import { ApplicationTokens } from './tokens.ts'

export { providerObjects } from './objects.store.ts'

const cleanQueue = 'provider.clean'

/** Applications that act for users, and the provider that issues their tokens. */
export function registerProvider(
  ctx: Context,
  { people }: { people: Pick<PeopleFeature, 'sessions' | 'addWayIn' | 'seeChanges'> },
) {
  const { sessions } = people
  const tokens = new ApplicationTokens(ctx, sessions)
  people.addWayIn({
    tokens: {
      isOne: (token) => ApplicationTokens.isOne(token),
      callerOf: (token, ip) => tokens.callerOf(token, ip),
    },
    rightsOf: (caller) => tokens.rightsOf(caller),
    rightsNow: ({ userId, applicationId }) =>
      userId === null || applicationId === undefined ? undefined : tokens.rightsNow(userId, applicationId),
    forget: (changed) => tokens.forget(changed),
  })
  const oauth = new OAuthProvider({ ...ctx, sessions }, people.seeChanges)
  mountProvider(ctx, oauth)
  for (const table of ['applications', 'application_grants', 'oauth_records'] as const)
    ctx.configChanges.on(table, (ids) => {
      const changed = groundsChanged(table, ids)
      tokens.forget(changed)
      ctx.live.recheck(changed)
    })
  ctx.configChanges.on('oauth_keys', () => oauth.forget())
  const clean = async () => {
    await deleteEndedRecords(ctx.db, ctx.clock.now())
    await renewKeys(ctx)
  }
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '19 3 * * *')
  return {
    routes: {
      exchange: exchangeRoutes(ctx, sessions),
      application: applicationRoutes(ctx, tokens),
      oauth: requestRoutes(ctx, oauth, sessions),
      serviceBuilder: builderRoutes(ctx),
    },
    /** Deletes expired rows and renews keys, as the daily job does; for tests. */
    clean,
  }
}
