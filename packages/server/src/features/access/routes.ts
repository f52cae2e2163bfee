import type { Tenant } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import { violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { requireAccount } from './accounts/account.ts'
import { accountRoutes } from './accounts/routes.ts'
import type { ApiKeys } from './apikeys/keys.ts'
import { apiKeyRoutes } from './apikeys/routes.ts'
import { authRoutes } from './auth-routes.ts'
import { consentRoutes, publicTermsRoutes, termsRoutes } from './consent/routes.ts'
import { impersonationRoutes } from './impersonation/routes.ts'
import { integrationRoutes } from './integrations/routes.ts'
import type { Login } from './login.ts'
import { moduleRoutes, moduleRuleRoutes } from './modules/routes.ts'
import type { Passwords } from './passwords/passwords.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { userIdOf } from './person.ts'
import { exchangeRoutes } from './provider/exchange.ts'
import type { OAuthProvider } from './provider/provider.ts'
import { requestRoutes } from './provider/requests.ts'
import { applicationRoutes } from './provider/routes.ts'
import type { ApplicationTokens } from './provider/tokens.ts'
import type { RightsOf } from './rights.ts'
import { roleRoutes, scopeRoutes } from './roles/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import type { Sessions } from './sessions.ts'
import type { SsoClients } from './sso/clients.ts'
import type { SsoLogin } from './sso/login.ts'
import { oauth2ClientRoutes, oidcClientRoutes, ssoRoutes } from './sso/routes.ts'
import { insertAccount, listAccounts, setProperties, updateAccountLimit } from './store/access.ts'
import {
  countFavorites,
  deleteFavorite,
  favoritesMax,
  insertFavorite,
  isVisible,
  listFavorites,
} from './store/favorites.ts'
import type { SecondFactor } from './twofactor/factor.ts'
import { twoFactorRoutes } from './twofactor/routes.ts'
import { userAccessRoutes, userRoutes } from './users/routes.ts'
import type { Users } from './users/users.ts'

const propertiesBytesMax = 65_536

interface Parts {
  sessions: Sessions
  login: Login
  factor: SecondFactor
  passwords: Passwords
  keys: ApiKeys
  users: Users
  ssoClients: SsoClients
  ssoLogin: SsoLogin
  tokens: ApplicationTokens
  oauth: OAuthProvider
}

export function accessRoutes(ctx: Context, parts: Parts) {
  const { sessions, login, factor, passwords, keys, users, tokens, oauth, ssoClients, ssoLogin } = parts
  const rightsOf: RightsOf = async (caller) =>
    keys.rightsOf(caller) ?? tokens.rightsOf(caller) ?? (await sessions.rightsOf(userIdOf(caller)))
  return {
    auth: {
      ...authRoutes(ctx, sessions, login, rightsOf),
      ...impersonationRoutes(ctx, sessions),
      ...exchangeRoutes(ctx, sessions),
    },
    password: passwordRoutes(ctx, passwords),
    twofactor: twoFactorRoutes(ctx, sessions, factor),
    session: sessionRoutes(ctx, sessions),
    apikey: apiKeyRoutes(ctx, keys),
    sso: ssoRoutes(ctx, sessions, ssoClients, ssoLogin),
    oidcClient: oidcClientRoutes(ctx, ssoClients, sessions),
    oauth2Client: oauth2ClientRoutes(ctx, ssoClients, sessions),
    application: applicationRoutes(ctx, tokens),
    oauth: requestRoutes(ctx, oauth, sessions),
    user: {
      ...userRoutes(ctx, users),
      ...consentRoutes(ctx),
      setProperties: os.user.setProperties.handler(async ({ input, context }) => {
        const size = Buffer.byteLength(JSON.stringify(input.properties))
        if (size > propertiesBytesMax)
          throw new AppError('VALIDATION_ERROR', { bytesMax: propertiesBytesMax })
        // What people set for themselves alone, like this and favourites, leaves no activity entry.
        return { properties: await setProperties(ctx.db, userIdOf(context.caller), input.properties) }
      }),
    },
    acl: {
      ...roleRoutes(ctx, sessions, rightsOf),
      ...userAccessRoutes(ctx, users),
      ...moduleRoutes(ctx, sessions),
    },
    system: moduleRuleRoutes,
    scope: scopeRoutes(ctx),
    theming: publicTermsRoutes(ctx),
    tenant: tenantRoutes(ctx, rightsOf),
    favorite: favoriteRoutes(ctx),
  }
}

function tenantRoutes(ctx: Context, rightsOf: RightsOf) {
  const { db } = ctx
  const visible = async (caller: Caller) => {
    const { scopes } = await rightsOf(caller)
    return scopes.map(({ id }) => id)
  }
  const tenantOf = async ({ id, scopeId }: { id: number; scopeId: number }): Promise<Tenant> => {
    const [tenant] = await listAccounts(db, [scopeId])
    if (!tenant) throw new Error(`account ${id} vanished`)
    return tenant
  }
  return {
    ...accountRoutes(ctx, visible),
    ...termsRoutes(ctx, visible),
    ...integrationRoutes(ctx),
    fetchAll: os.tenant.fetchAll.handler(async ({ context: { caller } }) => ({
      items: await listAccounts(db, await visible(caller)),
    })),
    create: os.tenant.create.handler(async ({ input, context: { caller } }): Promise<Tenant> => {
      const parent = await requireAccount(db, input.parentId, caller.scopeIds('UserManagement', 'create'))
      const account = { ...input, parentScopeId: parent.scopeId }
      const created = await db
        .transaction()
        .execute(async (tx) => {
          const inserted = await insertAccount(tx, account)
          await recordActivity(tx, caller, {
            action: 'create',
            subject: 'Tenant',
            objectId: inserted.id,
            objectTitle: input.name,
            accountId: inserted.id,
            changes: input,
          })
          return inserted
        })
        .catch((error: unknown) => {
          if (violatedUnique(error) !== undefined)
            throw new AppError('TENANT_DUPLICATE', { name: input.name })
          throw error
        })
      return tenantOf(created)
    }),
    setLimits: os.tenant.setLimits.handler(async ({ input, context: { caller } }) => {
      const { id, version, messagesPerSecond } = input
      const account = await requireAccount(db, id, caller.scopeIds('super.system', 'manage'))
      const before = await tenantOf(account)
      await db.transaction().execute(async (tx) => {
        if (!(await updateAccountLimit(tx, id, version, messagesPerSecond)))
          throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'Tenant',
          objectId: id,
          objectTitle: account.name,
          accountId: id,
          changes: { messagesPerSecond: [before.messagesPerSecond, messagesPerSecond] },
        })
      })
      return tenantOf(account)
    }),
  }
}

function favoriteRoutes({ db }: Context) {
  return {
    list: os.favorite.list.handler(async ({ context: { caller } }) => ({
      items: await listFavorites(db, caller),
    })),
    create: os.favorite.create.handler(async ({ input, context: { caller } }) => {
      const { type, objectId } = input
      if (!(await isVisible(db, caller, type, objectId))) throw new AppError('NOT_FOUND', { type, objectId })
      const userId = userIdOf(caller)
      if ((await countFavorites(db, userId)) >= favoritesMax) {
        throw new AppError('VALIDATION_ERROR', { favoritesMax }, `At most ${favoritesMax} favourites`)
      }
      await insertFavorite(db, userId, type, objectId)
      const created = (await listFavorites(db, caller)).find(
        (one) => one.type === type && one.objectId === objectId,
      )
      if (!created) throw new AppError('NOT_FOUND', { type, objectId })
      return created
    }),
    delete: os.favorite.delete.handler(async ({ input, context: { caller } }) => {
      if (!(await deleteFavorite(db, userIdOf(caller), input.id)))
        throw new AppError('NOT_FOUND', { id: input.id })
      return { ok: true as const }
    }),
  }
}
