import type { Role } from '@leitstand/contract'
import { actions, type RoleRule, subjects } from '@leitstand/contract/permissions'
import type { Context } from '../../../platform/context.ts'
import { type Executor, violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { requireAccount } from '../../accounts/index.ts'
import { changesBetween, recordActivity } from '../../activity/index.ts'
import { rolesOfNewUsers } from '../modules/roles.ts'
import { isGivenToNewUsers } from '../modules/store.ts'
import type { RightsOf } from '../rights.ts'
import { readAccountScope } from '../store/scopes.ts'
import { requireCovered, requireHeld, rightsGained } from './guard.ts'
import { scopesSeen } from './seen.ts'
import {
  accountsOfScopes,
  deleteRole,
  findScope,
  insertRole,
  listRoles,
  type RoleRow,
  readDefaultRoles,
  readDefaultRolesOfAccount,
  readRole,
  readRoleKey,
  replaceDefaultRoles,
  rolesUsableIn,
  scopesOfRole,
  updateRole,
} from './store.ts'

/** Default roles of an account together with those on the scopes of its twins. */
const defaultRolesMax = 150

export function roleRoutes({ db }: Context, rightsOf: RightsOf) {
  return {
    listRoles: os.acl.listRoles.handler(async ({ input, context: { caller } }) => {
      const { items, total } = await listRoles(db, scopesSeen(caller), input)
      const managed = await accountsOfScopes(db, caller.scopeIds('all', 'manage'))
      return {
        items: items.map((row) => toRole(row, row.users ?? 0, mayEdit(caller, row, managed))),
        total,
        offset: input.offset,
        limit: input.limit,
      }
    }),
    listRules: os.acl.listRules.handler(() => ({ subjects: [...subjects], actions: [...actions] })),
    createRole: os.acl.createRole.handler(async ({ input, context: { caller } }) => {
      const scopeId = await scopeOfNewRole(db, caller, input.accountId)
      const id = await db
        .transaction()
        .execute(async (tx) => {
          await requireCovered(tx, caller, [], input.rules, scopeId === null ? [] : [scopeId])
          const created = await insertRole(tx, input)
          await note(tx, caller, 'create', { id: created, ...input }, input)
          return created
        })
        .catch(orDuplicate(input.name))
      return one(db, caller, id)
    }),
    updateRole: os.acl.updateRole.handler(async ({ input, context: { caller } }) => {
      const { id, version, ...wanted } = input
      await db
        .transaction()
        .execute(async (tx) => {
          const role = await editable(tx, caller, id)
          if (role.is_super)
            throw new AppError('NO_PERMISSION', undefined, 'This role is part of the platform')
          const before = rulesOf(role)
          const { given, defaults } = await scopesOfRole(tx, id)
          const own = role.scope_id === null ? [] : [role.scope_id]
          await requireCovered(tx, caller, before, wanted.rules, [...given, ...defaults, ...own])
          // A custom name or description makes both custom: built-in texts are translated, custom ones are
          // not.
          const isAsDelivered = wanted.name === role.name && wanted.description === role.description
          const key = isAsDelivered ? readRoleKey(role.key) : null
          if (!(await updateRole(tx, id, version, { ...wanted, key }))) throw new AppError('VERSION_CONFLICT')
          const about = { id, name: wanted.name, accountId: role.account_id }
          const old = { name: role.name, description: role.description, icon: role.icon, rules: before }
          await note(tx, caller, 'update', about, changesBetween(old, wanted))
        })
        .catch(orDuplicate(input.name))
      return one(db, caller, id)
    }),
    deleteRole: os.acl.deleteRole.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const role = await editable(tx, caller, id)
        if (role.is_super) throw new AppError('ABAC_ROLE_DELETE_SUPERSYSADMIN')
        const { given } = await scopesOfRole(tx, id)
        if (await isGivenToNewUsers(tx, id)) throw new AppError('ABAC_ROLE_DELETE_IN_USE')
        if (given.length > 0) throw new AppError('ABAC_ROLE_DELETE_IN_USE', { scopes: given.length })
        await deleteRole(tx, id)
        const { name, account_id: accountId } = role
        await note(tx, caller, 'delete', { id, name, accountId }, { rules: rulesOf(role) })
      })
      return { ok: true as const }
    }),
    checkAccess: os.acl.checkAccess.handler(({ input, context: { caller } }) => ({
      results: input.checks.map(({ subject, action, scopeId }) =>
        scopeId === undefined
          ? caller.can(subject, action)
          : caller.scopeIds(subject, action).includes(scopeId),
      ),
    })),
    listScopes: os.acl.listScopes.handler(async ({ context: { caller } }) => {
      const { scopes } = await rightsOf(caller)
      return { items: scopes.map((scope) => ({ ...scope })) }
    }),
  }
}

/** Default roles of new users. */
export function scopeRoutes({ db }: Context) {
  const created = (caller: Caller) => [...scopesSeen(caller), ...caller.scopeIds('UserManagement', 'create')]
  return {
    listDefaultRoles: os.scope.listDefaultRoles.handler(
      async ({ input: { scopeId }, context: { caller } }) => {
        const scope = await findScope(db, scopeId, created(caller))
        if (!scope) throw new AppError('SCOPE_NOT_FOUND')
        return defaultsOf(db, scope, created(caller))
      },
    ),
    setDefaultRoles: os.scope.setDefaultRoles.handler(async ({ input, context: { caller } }) => {
      const roleIds = [...new Set(input.roleIds)].sort((a, b) => a - b)
      const saved = await db.transaction().execute(async (tx) => {
        const scope = await findScope(tx, input.scopeId, caller.scopeIds('all', 'manage'))
        if (!scope) throw new AppError('SCOPE_NOT_FOUND')
        const roles = await rolesUsableIn(tx, scope.accountId, roleIds)
        if (roles.length !== roleIds.length) throw new AppError('ABAC_ROLE_NOT_FOUND')
        const given = roles.map(({ rules }) => ({ scopeId: scope.id, isMain: false, rules }))
        requireHeld(await rightsGained(tx, [], given, caller))
        const before = await readDefaultRoles(tx, scope.id)
        await replaceDefaultRoles(tx, scope.id, roleIds)
        // Every new user gets all of them, and a user has at most this many roles.
        const all = await readDefaultRolesOfAccount(tx, scope.accountId)
        if (all.length > defaultRolesMax)
          throw new AppError('VALIDATION_ERROR', { field: 'roleIds', maximum: defaultRolesMax })
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'DefaultRoles',
          objectId: scope.id,
          objectTitle: scope.name,
          accountId: scope.accountId,
          changes: { roles: [before, roles].map((list) => list.map(({ name, key }) => ({ name, key }))) },
        })
        return scope
      })
      return defaultsOf(db, saved, created(caller))
    }),
  }
}

/** The default roles of a scope; those of twins are listed with the scope of their account. */
async function defaultsOf(
  db: Executor,
  scope: { id: number; accountId: number },
  visible: readonly number[],
) {
  const all = await readDefaultRolesOfAccount(db, scope.accountId)
  const isOfAccount = (await readAccountScope(db, scope.accountId)) === scope.id
  const ofTwins = all.filter(({ twinId, scopeId }) => twinId !== null && visible.includes(scopeId))
  const twinScopes = [...Map.groupBy(isOfAccount ? ofTwins : [], ({ scopeId }) => scopeId)].map(
    ([scopeId, rows]) => ({
      scopeId,
      scopeName: rows[0]?.scopeName ?? '',
      roleIds: rows.map(({ roleId }) => roleId),
    }),
  )
  return {
    roleIds: all.filter(({ scopeId }) => scopeId === scope.id).map(({ roleId }) => roleId),
    moduleRoleIds: await rolesOfNewUsers(db, scope.accountId),
    twinScopes,
  }
}

/** @returns the own scope of the account the role belongs to; null for a role of all accounts */
async function scopeOfNewRole(
  db: Executor,
  caller: Caller,
  accountId: number | null,
): Promise<number | null> {
  if (accountId === null) {
    if (!caller.can('super.system', 'manage'))
      throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
    return null
  }
  const account = await requireAccount(db, accountId, caller.scopeIds('all', 'manage'))
  return account.scopeId
}

/** @throws AppError not found, also when the caller does not see the role */
async function editable(tx: Executor, caller: Caller, id: number): Promise<RoleRow> {
  const role = await readRole(tx, id, true)
  const seen = role && (role.account_id === null || isIn(scopesSeen(caller), role.scope_id))
  if (!seen) throw new AppError('ABAC_ROLE_NOT_FOUND', { id })
  if (role.account_id === null && !role.is_super && !caller.can('super.system', 'manage'))
    throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
  if (role.account_id !== null && !isIn(caller.scopeIds('all', 'manage'), role.scope_id))
    throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
  return role
}

function isIn(scopeIds: readonly number[], scopeId: number | null): boolean {
  return scopeId !== null && scopeIds.includes(scopeId)
}

type Listed = Omit<RoleRow, 'scope_id'>

function mayEdit(caller: Caller, role: Listed, managedAccounts: ReadonlySet<number>): boolean {
  if (role.is_super) return false
  if (role.account_id === null) return caller.can('super.system', 'manage')
  return managedAccounts.has(role.account_id)
}

async function one(db: Executor, caller: Caller, id: number): Promise<Role> {
  const role = await readRole(db, id)
  if (!role) throw new AppError('ABAC_ROLE_NOT_FOUND', { id })
  const { given } = await scopesOfRole(db, id)
  const seen = new Set(scopesSeen(caller))
  return toRole(role, given.filter((scopeId) => seen.has(scopeId)).length, true)
}

function toRole(row: Listed, users: number, editableByCaller: boolean): Role {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    key: readRoleKey(row.key),
    description: row.description,
    icon: row.icon,
    isSuper: row.is_super,
    rules: rulesOf(row),
    users,
    editable: editableByCaller,
    version: row.version,
  }
}

function rulesOf(row: { rules: unknown }): RoleRule[] {
  return row.rules as RoleRule[]
}

async function note(
  tx: Executor,
  caller: Caller,
  action: string,
  role: { id: number; name: string; accountId: number | null },
  changes: object,
): Promise<void> {
  const about = { subject: 'Role', objectId: role.id, objectTitle: role.name, accountId: role.accountId }
  await recordActivity(tx, caller, { action, ...about, changes })
}

function orDuplicate(name: string) {
  return (error: unknown): never => {
    if (violatedUnique(error) !== undefined) throw new AppError('ABAC_ROLE_CREATE_DUPLICATE_NAME', { name })
    throw error
  }
}
