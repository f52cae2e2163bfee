import type { Context } from '../../platform/context.ts'
import { administratorsCover } from './mailGuard.ts'
import { prepareModuleRole } from './modules/roles.ts'
import { countModuleUsers } from './modules/store.ts'
import type { RightsOf } from './rights.ts'
import { roleRoutes, scopeRoutes } from './roles/routes.ts'

export { changeAccess, described, requireGrantable, requireSuperAdmin } from './access.ts'
export { changesRights, groundsChanged, groundsOf, groundsOfReach } from './grounds.ts'
export { requireUnseen } from './mailGuard.ts'
export { rolesOfNewUsers } from './modules/roles.ts'
export {
  decisionOf,
  type Gain,
  type Grant,
  type Holder,
  Rights,
  type RightsOf,
  type ScopeNode,
  shared,
} from './rights.ts'
export { explain, explainOne, type NamedGrant, wayUp } from './roles/explain.ts'
export { firstRoles } from './roles/first.ts'
export { requireHeld, rightsGained } from './roles/guard.ts'
export { scopesSeen } from './roles/seen.ts'
export {
  accountsOfScopes,
  insertRole,
  listUsableRoles,
  readDefaultRolesOfAccount,
  readRoleKey,
  readRules,
  rolesUsableIn,
} from './roles/store.ts'
export {
  compareHolders,
  insertAccess,
  listHolders,
  type RoleHolder,
  readAccess,
  readAccessOn,
  readGrants,
} from './store/access.ts'
export {
  accountScopes,
  listScopesBelow,
  moveScope,
  moveTwinScopes,
  readAccountScope,
  readReach,
  readScopes,
  readScopesAbove,
  readScopeTree,
  twinScopes,
} from './store/scopes.ts'

/** The roles through which accounts give modules to new users. */
export const moduleRoles = { countUsers: countModuleUsers, prepare: prepareModuleRole }

/** Functions of higher features that rights depend on. */
interface Hooks {
  /** the rights of a caller, however they authenticated */
  rightsOf: RightsOf
}

/** Roles, scopes, and the rights they grant. */
export function registerRights(ctx: Context, { rightsOf }: Hooks) {
  ctx.mail.guardWith(administratorsCover)
  return { routes: { acl: roleRoutes(ctx, rightsOf), scope: scopeRoutes(ctx) } }
}
