import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import type { RightsOf } from '../rights/index.ts'
import { authRoutes } from './auth-routes.ts'
import { consentRoutes, publicTermsRoutes, termsRoutes } from './consent/routes.ts'
import { favoriteRoutes } from './favorites/routes.ts'
import { impersonationRoutes } from './impersonation/routes.ts'
import { insightRoutes } from './insight/routes.ts'
import type { Login } from './login.ts'
import type { Passwords } from './passwords/passwords.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { userIdOf } from './person.ts'
import { sessionRoutes } from './sessions/routes.ts'
import type { Sessions } from './sessions.ts'
import { setProperties } from './store/users.ts'
import type { SecondFactor } from './twofactor/factor.ts'
import { twoFactorRoutes } from './twofactor/routes.ts'
import { careRoutes } from './users/care-routes.ts'
import { userAccessRoutes, userRoutes } from './users/routes.ts'
import type { Users } from './users/users.ts'

const propertiesBytesMax = 65_536

interface Parts {
  sessions: Sessions
  login: Login
  factor: SecondFactor
  passwords: Passwords
  users: Users
  rightsOf: RightsOf
}

export function peopleRoutes(ctx: Context, parts: Parts) {
  const { sessions, login, factor, passwords, users, rightsOf } = parts
  return {
    auth: { ...authRoutes(ctx, sessions, login, rightsOf), ...impersonationRoutes(ctx, sessions) },
    password: passwordRoutes(ctx, passwords),
    twofactor: twoFactorRoutes(ctx, sessions, factor),
    session: sessionRoutes(ctx, sessions),
    user: {
      ...userRoutes(ctx, users),
      ...userAccessRoutes(ctx, users),
      ...careRoutes(ctx, { sessions, factor, passwords, users }),
      ...consentRoutes(ctx),
      setProperties: os.user.setProperties.handler(async ({ input, context }) => {
        const size = Buffer.byteLength(JSON.stringify(input.properties))
        if (size > propertiesBytesMax)
          throw new AppError('VALIDATION_ERROR', { bytesMax: propertiesBytesMax })
        // Personal settings, like these and favourites, are not logged as activity.
        return { properties: await setProperties(ctx.db, userIdOf(context.caller), input.properties) }
      }),
    },
    terms: { ...publicTermsRoutes(ctx), ...termsRoutes(ctx, rightsOf) },
    favorite: favoriteRoutes(ctx),
    insight: insightRoutes(ctx),
  }
}
