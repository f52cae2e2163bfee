import type { Role, Tenant } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import { violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { sessionCookie } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { type Login, toSessionAccess, toSessionUser } from './login.ts'
import { hashToken, type Sessions } from './sessions.ts'
import {
  deleteSession,
  findAccount,
  insertAccount,
  listAccounts,
  listRoles,
  readUser,
  setProperties,
} from './store/access.ts'
import {
  countFavorites,
  deleteFavorite,
  favoritesMax,
  insertFavorite,
  isVisible,
  listFavorites,
} from './store/favorites.ts'

const propertiesBytesMax = 65_536

export function accessRoutes(ctx: Context, sessions: Sessions, login: Login) {
  return {
    auth: authRoutes(ctx, sessions, login),
    user: {
      setProperties: os.user.setProperties.handler(async ({ input, context }) => {
        const size = Buffer.byteLength(JSON.stringify(input.properties))
        if (size > propertiesBytesMax)
          throw new AppError('VALIDATION_ERROR', { bytesMax: propertiesBytesMax })
        // What people set for themselves alone, like this and favourites, leaves no activity entry.
        await setProperties(ctx.db, userIdOf(context.caller), input.properties)
        return { properties: input.properties }
      }),
    },
    acl: aclRoutes(ctx, sessions),
    tenant: tenantRoutes(ctx, sessions),
    favorite: favoriteRoutes(ctx),
  }
}

function authRoutes({ db }: Context, sessions: Sessions, login: Login) {
  return {
    login: os.auth.login.handler(async ({ input, context }) => {
      const { token, expiresAt, user, rights } = await login.signIn({ ...input, ...pick(context) })
      context.setCookie(sessionCookie, token, { expires: expiresAt })
      return {
        token,
        expiresAt: expiresAt.toISOString(),
        user: toSessionUser(user),
        access: toSessionAccess(rights),
      }
    }),
    verify: os.auth.verify.handler(async ({ context: { caller, credentials } }) => {
      const user = caller.userId === null ? undefined : await readUser(db, caller.userId)
      if (!user) {
        return {
          isAuthenticated: false,
          user: null,
          token: null,
          tenantId: null,
          access: null,
          featureFlags: { flags: {} },
        }
      }
      return {
        isAuthenticated: true,
        user: toSessionUser(user),
        token: credentials.via === 'cookie' ? credentials.token : null,
        tenantId: user.account_id,
        access: toSessionAccess(await sessions.rightsOf(user.id)),
        featureFlags: { flags: {} },
      }
    }),
    logout: os.auth.logout.handler(async ({ context }) => {
      const { caller, credentials } = context
      const user = await readUser(db, userIdOf(caller))
      await db.transaction().execute(async (tx) => {
        if (credentials.token) await deleteSession(tx, hashToken(credentials.token))
        await recordActivity(tx, caller, {
          action: 'logout',
          subject: 'User',
          objectId: caller.userId,
          objectTitle: caller.name,
          accountId: user?.account_id ?? null,
        })
      })
      sessions.forget()
      context.setCookie(sessionCookie, '')
      return { ok: true as const }
    }),
  }
}

function pick({ ip, userAgent }: { ip: string; userAgent: string }) {
  return { ip, userAgent }
}

function aclRoutes({ db }: Context, sessions: Sessions) {
  return {
    listRoles: os.acl.listRoles.handler(async ({ context: { caller } }) => {
      const rows = await listRoles(db, caller.scopeIds('UserManagement', 'read'))
      const items = rows.map((row) => ({
        id: row.id,
        name: row.name,
        description: row.description,
        icon: row.icon,
        isSuper: row.is_super,
        rules: row.rules as unknown as Role['rules'],
      }))
      return { items }
    }),
    checkAccess: os.acl.checkAccess.handler(({ input, context: { caller } }) => ({
      results: input.checks.map(({ subject, action, scopeId }) =>
        scopeId === undefined
          ? caller.can(subject, action)
          : caller.scopeIds(subject, action).includes(scopeId),
      ),
    })),
    listScopes: os.acl.listScopes.handler(async ({ context: { caller } }) => {
      const { scopes } = await sessions.rightsOf(userIdOf(caller))
      return { items: scopes.map((scope) => ({ ...scope })) }
    }),
  }
}

function tenantRoutes({ db }: Context, sessions: Sessions) {
  const visible = async (caller: Caller) => {
    const { scopes } = await sessions.rightsOf(userIdOf(caller))
    return scopes.map(({ id }) => id)
  }
  return {
    fetchAll: os.tenant.fetchAll.handler(async ({ context: { caller } }) => ({
      items: await listAccounts(db, await visible(caller)),
    })),
    create: os.tenant.create.handler(async ({ input, context: { caller } }): Promise<Tenant> => {
      const parent = await findAccount(db, input.parentId, caller.scopeIds('UserManagement', 'create'))
      if (!parent) throw new AppError('TENANT_NOT_FOUND', { id: input.parentId })
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
      const [tenant] = await listAccounts(db, [created.scopeId])
      if (!tenant) throw new Error(`account ${created.id} vanished`)
      return tenant
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

/** Operations with rule `session` may only be called by people. */
function userIdOf(caller: Caller): number {
  if (caller.userId === null) throw new AppError('NO_PERMISSION')
  return caller.userId
}
