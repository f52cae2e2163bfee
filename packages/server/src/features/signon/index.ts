import type { Context } from '../../platform/context.ts'
import type { PeopleFeature } from '../people/index.ts'
import { SsoClients } from './clients.ts'
import { mountSso } from './http.ts'
import { SsoLogin } from './login.ts'
import { oauth2ClientRoutes, oidcClientRoutes, ssoRoutes } from './routes.ts'
import { deleteOldAnswers } from './store.ts'

const cleanQueue = 'signon.clean'

/** Single sign-on: users authenticated by an identity provider. */
export { signonObjects } from './objects.store.ts'

export function registerSignon(
  ctx: Context,
  {
    people: { sessions, factor, failures },
  }: { people: Pick<PeopleFeature, 'sessions' | 'factor' | 'failures'> },
) {
  const clients = new SsoClients(ctx)
  const login = new SsoLogin(ctx, sessions, factor)
  mountSso(ctx, { clients, login, failures })
  ctx.jobs.work(cleanQueue, () => deleteOldAnswers(ctx.db, ctx.clock.now()), { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '18 3 * * *')
  return {
    routes: {
      sso: ssoRoutes(ctx, { sessions, clients, login, failures }),
      oidcClient: oidcClientRoutes(ctx, clients),
      oauth2Client: oauth2ClientRoutes(ctx, clients),
    },
  }
}
