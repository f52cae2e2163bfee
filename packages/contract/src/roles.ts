import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Text, Title, Version } from './common.ts'
import { type AccessRule, actions, anyOf, may, moduleKeys, subjects } from './permissions.ts'

/** One line of a role. Within a role the last matching line wins; an inverted one denies. */
export const RoleLine = z.object({
  subject: z.enum(subjects),
  actions: z.array(z.enum(actions)).min(1).max(actions.length),
  inverted: z.boolean().optional(),
})
export type RoleLine = z.infer<typeof RoleLine>

const Rules = z.array(RoleLine).max(100)

/**
 * Roles delivered with the platform, by a permanent key, with their name in the API. User interfaces
 * translate them as long as their texts have not been edited.
 */
export const deliveredRoles = {
  systemAdministrator: 'System administrator',
  accountAdministrator: 'Account administrator',
  deviceManager: 'Device manager',
  operator: 'Operator',
  viewer: 'Viewer',
  facilityManager: 'Facility manager',
  ticketReporter: 'Ticket reporter',
  keyHolder: 'Key holder',
  influxDbRead: 'InfluxDBRead',
  facilityUser: 'Facility user',
  warningViewer: 'Warning viewer',
  assetViewer: 'Asset viewer',
  dashboardViewer: 'Dashboard viewer',
  dataHubViewer: 'Data hub viewer',
  publicSharer: 'Public sharing',
} as const
export type RoleKey = keyof typeof deliveredRoles

export function isRoleKey(text: string | null): text is RoleKey {
  return text !== null && Object.hasOwn(deliveredRoles, text)
}

export const RoleKey = z.enum(Object.keys(deliveredRoles) as [RoleKey])

/** The delivered role with this name in the API. */
export function roleKeyNamed(name: string): RoleKey | null {
  return RoleKey.options.find((key) => deliveredRoles[key] === name) ?? null
}

/** The name of a role; without a key its texts were written by a user. */
export const RoleName = z.object({ name: z.string(), key: RoleKey.nullable() })
export type RoleName = z.infer<typeof RoleName>

export const Role = z.object({
  id: Id,
  /** null: available to every account */
  accountId: Id.nullable(),
  ...RoleName.shape,
  description: z.string(),
  icon: z.string().nullable(),
  isSuper: z.boolean(),
  rules: z.array(RoleLine),
  /** number of assignments to users, in the accounts the caller sees */
  users: z.int(),
  /** whether the caller may change it */
  editable: z.boolean(),
  version: z.int(),
})
export type Role = z.infer<typeof Role>

export const RoleInput = z.object({
  name: Title,
  description: Text.default(''),
  icon: z.string().max(50).nullable().default(null),
  rules: Rules,
})

export const Scope = z.object({
  id: Id,
  parentId: Id.nullable(),
  accountId: Id,
  twinId: Id.nullable(),
  name: z.string(),
})
export type Scope = z.infer<typeof Scope>

/** A role on a scope, as given to a user. */
export const AccessEntry = z.object({ scopeId: Id, roleId: Id, isMain: z.boolean().default(false) })
export type AccessEntry = z.infer<typeof AccessEntry>

/** All roles of a user; a user who needs more needs another role. */
export const AccessList = z.array(AccessEntry).max(200)

/** Roles that new users get; roles of modules that the account gives to new users are listed separately. */
const DefaultRoles = z.object({
  roleIds: z.array(Id),
  moduleRoleIds: z.array(Id),
  /** of the scope of an account: default roles on the scopes of its twins, which new users get as well */
  twinScopes: z.array(z.object({ scopeId: Id, scopeName: z.string(), roleIds: z.array(Id) })),
})

/** One permission and the line of a role that decides it; without a line it is denied. */
export const Explanation = z.object({
  subject: z.enum(subjects),
  action: z.enum(actions),
  allowed: z.boolean(),
  /** this module is off in the scope's account, so the permission is denied, whatever the line says */
  module: z.enum(moduleKeys).nullable(),
  because: z
    .object({
      /** null for the permissions of an application */
      roleId: Id.nullable(),
      roleName: z.string(),
      roleKey: RoleKey.nullable(),
      scopeId: Id,
      scopeName: z.string(),
      rule: RoleLine,
    })
    .nullable(),
})
export type Explanation = z.infer<typeof Explanation>

const seeRoles = anyOf(may('UserManagement', 'read', 'manage'), may('all', 'manage'))
const manageAll = may('all', 'manage') satisfies AccessRule

export const acl = {
  /** Roles available to all accounts, and those of accounts in which the caller sees users. */
  listRoles: operation
    .meta({ rule: seeRoles })
    .route({ method: 'GET', path: '/acl/role', tags: ['roles'], summary: 'Roles' })
    .input(z.object({ offset: Paging.offset, limit: Paging.limit.default(1000) }))
    .output(pageOf(Role)),
  /** The subjects and actions that rules consist of. */
  listRules: operation
    .meta({ rule: seeRoles })
    .route({ method: 'GET', path: '/acl/rule', tags: ['roles'], summary: 'What rules are made of' })
    .output(z.object({ subjects: z.array(z.enum(subjects)), actions: z.array(z.enum(actions)) })),
  /**
   * The caller must hold every permission in the role. Without an account it is available to all accounts.
   */
  createRole: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/acl/role',
      tags: ['roles'],
      summary: 'Create a role',
      successStatus: 201,
    })
    .input(RoleInput.extend({ accountId: Id.nullable() }))
    .output(Role),
  updateRole: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({ method: 'PUT', path: '/acl/role/{id}', tags: ['roles'], summary: 'Change a role' })
    .input(RoleInput.extend({ id: Id, version: Version }))
    .output(Role),
  /** Only a role without assignments can be deleted; they must be removed explicitly first. */
  deleteRole: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({ method: 'DELETE', path: '/acl/role/{id}', tags: ['roles'], summary: 'Delete a role' })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Returns for a list of permissions whether the caller holds each of them, in any scope or in the given
   * one.
   */
  checkAccess: operation
    .meta({ rule: 'session', look: 'asks' })
    .route({
      method: 'POST',
      path: '/acl/checkaccess',
      tags: ['roles'],
      summary: 'Check permissions in bulk',
    })
    .input(
      z.object({
        checks: z
          .array(z.object({ subject: z.enum(subjects), action: z.enum(actions), scopeId: Id.optional() }))
          .max(200),
      }),
    )
    .output(z.object({ results: z.array(z.boolean()) })),
  /** Scopes the caller can see, as a flat list to build a tree from. */
  listScopes: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/acl/scopes', tags: ['roles'], summary: 'Scopes' })
    .output(z.object({ items: z.array(Scope) })),
}

/** Which roles a user has, and what follows from them. */
export const userAccess = {
  /**
   * Replaces the roles of a user in the scopes where the caller manages users; roles elsewhere are kept.
   * Refused when the user would get permissions that the caller lacks.
   */
  updateAccess: operation
    .meta({ rule: may('UserManagement', 'manage'), changes: 'rights' })
    .route({
      method: 'POST',
      path: '/acl/updateaccess',
      tags: ['roles'],
      summary: 'Give and take roles of a user',
    })
    .input(z.object({ userId: Id, version: Version, access: AccessList }))
    .output(z.object({ access: z.array(AccessEntry), version: z.int() })),
  /** The permissions of a user in a scope, with the line and role that decide each. */
  explainAccess: operation
    .meta({ rule: may('UserManagement', 'read', 'manage') })
    .route({ method: 'GET', path: '/acl/explain', tags: ['roles'], summary: 'What a user may do, and why' })
    .input(z.object({ userId: Id, scopeId: Id }))
    .output(z.object({ items: z.array(Explanation) })),
}

export const scope = {
  /** Roles that new users of an account get on one of its scopes. */
  listDefaultRoles: operation
    .meta({ rule: may('UserManagement', 'read', 'create', 'manage') })
    .route({ method: 'GET', path: '/scope/roles', tags: ['roles'], summary: 'Default roles of a scope' })
    .input(z.object({ scopeId: Id }))
    .output(DefaultRoles),
  /** The caller must hold every permission of the default roles. */
  setDefaultRoles: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/scope/roles',
      tags: ['roles'],
      summary: 'Set the default roles of a scope',
    })
    .input(z.object({ scopeId: Id, roleIds: z.array(Id).max(20) }))
    .output(DefaultRoles),
}
