import { applicationScopes, type PermissionScope, permissionScopes } from '@leitstand/contract/applications'
import type { InsightKind } from '@leitstand/contract/insight'
import type { RoleRule } from '@leitstand/contract/permissions'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { viewOf } from '../../objects/index.ts'
import { type NamedGrant, readAccess, readRoleKey, readRules } from '../../rights/index.ts'
import { findUserIn } from '../users/store.ts'

/**
 * The roles of a user, of an API key, or of an application. An application has its permissions in its account
 * and below; no token of it has more than its user.
 * @param seen scopes in which the caller sees users
 * @throws AppError USER_NOT_FOUND, API_KEY_NOT_FOUND, APPLICATION_NOT_FOUND
 */
export function grantsOf(
  db: Executor,
  of: InsightKind,
  id: number,
  seen: readonly number[],
): Promise<NamedGrant[]> {
  return readers[of](db, id, seen)
}

type Reader = (db: Executor, id: number, seen: readonly number[]) => Promise<NamedGrant[]>

const readers: Readonly<Record<InsightKind, Reader>> = {
  user: async (db, id, seen) => {
    if (!(await findUserIn(db, id, seen))) throw new AppError('USER_NOT_FOUND', { id })
    return readAccess(db, id)
  },
  apiKey: async (db, id, seen) => {
    // Public links have no role; they are looked into where they were created.
    const { rows } = await sql<{
      scopeId: number
      roleId: number
      name: string
      key: string | null
      rules: unknown
    }>`
      select k.scope_id as "scopeId", r.id as "roleId", r.name, r.key, r.rules
      from ${viewOf('apiKeyRoles')} k join roles r on r.id = k.role_id
      where k.id = ${id} and k.scope_id = ${anyOf(seen)}`.execute(db)
    if (rows.length === 0) throw new AppError('API_KEY_NOT_FOUND', { id })
    return rows.map(({ scopeId, roleId, name, key, rules }) => ({
      scopeId,
      roleId,
      roleName: name,
      roleKey: readRoleKey(key),
      rules: readRules(rules),
    }))
  },
  application: async (db, id, seen) => {
    const { rows } = await sql<{ scopeId: number; title: string; scopes: string[] }>`
      select s.id as "scopeId", a.title, a.scopes from ${viewOf('applications')} a
      join scopes s on s.account_id = a.account_id and s.twin_id is null
      where a.id = ${id} and s.id = ${anyOf(seen)}`.execute(db)
    if (rows.length === 0) throw new AppError('APPLICATION_NOT_FOUND', { id })
    return rows.map(({ scopeId, title, scopes }) => ({
      scopeId,
      roleId: null,
      roleName: title,
      roleKey: null,
      rules: rulesOf(scopes),
    }))
  },
}

/** The permissions of an application as rules; `openid` and the like have none. */
function rulesOf(scopes: readonly string[]): RoleRule[] {
  const isPermission = (scope: string): scope is PermissionScope => Object.hasOwn(permissionScopes, scope)
  return applicationScopes
    .filter((scope): scope is PermissionScope => scopes.includes(scope) && isPermission(scope))
    .flatMap((scope) =>
      permissionScopes[scope].map(({ subject, action }): RoleRule => ({ subject, actions: [action] })),
    )
}
