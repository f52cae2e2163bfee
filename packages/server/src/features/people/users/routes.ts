import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { explain, readAccess, readScopesAbove, scopesSeen } from '../../rights/index.ts'
import { withoutHidden } from '../insight/routes.ts'
import { findUserIn, listUsers } from './store.ts'
import type { Users } from './users.ts'

export function userRoutes({ db }: Context, users: Users) {
  return {
    list: os.user.list.handler(async ({ input, context: { caller } }) => {
      const { items, total } = await listUsers(db, scopesSeen(caller), input)
      return {
        items: items.map((row) => ({
          ...row,
          lockedUntil: row.lockedUntil?.toISOString() ?? null,
          lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
        })),
        total,
        offset: input.offset,
        limit: input.limit,
      }
    }),
    get: os.user.get.handler(({ input, context: { caller } }) => users.get(caller, input.id)),
    create: os.user.create.handler(({ input, context: { caller } }) => users.create(caller, input)),
    update: os.user.update.handler(({ input, context: { caller } }) => users.update(caller, input)),
    delete: os.user.delete.handler(async ({ input, context: { caller } }) => {
      await users.delete(caller, input.id)
      return { ok: true as const }
    }),
    invite: os.user.invite.handler(async ({ input, context: { caller } }) => {
      await users.invite(caller, input.id)
      return { ok: true as const }
    }),
    validate: os.user.validate.handler(async ({ input, context: { caller } }) => ({
      faults: await users.faults(caller, input.accountId, input.users),
    })),
    createMany: os.user.createMany.handler(({ input, context: { caller } }) =>
      users.createMany(caller, input),
    ),
  }
}

/** The roles of users, and the rights they grant. */
export function userAccessRoutes({ db }: Context, users: Users) {
  return {
    updateAccess: os.user.updateAccess.handler(async ({ input, context: { caller } }) => {
      const { userId, version, access } = input
      const next = await users.updateAccess(caller, userId, version, access)
      const seen = scopesSeen(caller)
      const rows = (await readAccess(db, userId)).filter(({ scopeId }) => seen.includes(scopeId))
      return {
        access: rows.map(({ scopeId, roleId, isMain }) => ({ scopeId, roleId, isMain })),
        version: next,
      }
    }),
    explainAccess: os.user.explainAccess.handler(
      async ({ input: { userId, scopeId }, context: { caller } }) => {
        const seen = scopesSeen(caller)
        if (!seen.includes(scopeId)) throw new AppError('SCOPE_NOT_FOUND', { id: scopeId })
        if (!(await findUserIn(db, userId, seen))) throw new AppError('USER_NOT_FOUND', { id: userId })
        const scopes = await readScopesAbove(db, scopeId)
        const items = explain(scopes, await readAccess(db, userId), scopeId)
        return { items: items.map((item) => withoutHidden(item, seen)) }
      },
    ),
  }
}
