import * as z from 'zod'
import { Id, operation, Version } from './common.ts'
import {
  type AccessRule,
  type ModuleKey,
  may,
  moduleKeys,
  type RoleRule,
  type Subject,
} from './permissions.ts'
import { RoleLine } from './roles.ts'

export interface ModuleDefinition {
  /** Nobody has permissions on these in an account where the module is off. */
  subjects: readonly Subject[]
  /** Permissions of new users in an account that gives the module to new users: enough to use it. */
  newUsers: readonly RoleRule[]
  /** Can only be switched by administrators of the installation. */
  restricted: boolean
}

/** The optional parts of the platform. */
export const modules: Readonly<Record<ModuleKey, ModuleDefinition>> = {
  facility: {
    subjects: ['IsFmAccess', 'IsFmTicket'],
    newUsers: [
      { subject: 'IsFmTicket', actions: ['create'] },
      { subject: 'IsFmAccess', actions: ['write'] },
    ],
    restricted: false,
  },
  warnapp: {
    subjects: ['IsWarnapp'],
    newUsers: [{ subject: 'IsWarnapp', actions: ['read'] }],
    restricted: true,
  },
  assets: {
    subjects: ['IsAssetMgmt'],
    newUsers: [{ subject: 'IsAssetMgmt', actions: ['read', 'list'] }],
    restricted: false,
  },
  dashboards: {
    subjects: ['Dashboards'],
    newUsers: [{ subject: 'Dashboards', actions: ['read', 'list'] }],
    restricted: false,
  },
  publicDashboard: {
    subjects: ['PublicSharing'],
    newUsers: [{ subject: 'PublicSharing', actions: ['manage'] }],
    restricted: false,
  },
  classicHub: {
    subjects: ['IotHub'],
    newUsers: [{ subject: 'IotHub', actions: ['read', 'list'] }],
    restricted: true,
  },
}

/** The module of a permission; undefined for permissions that do not belong to a module. */
export function moduleOf(subject: Subject): ModuleKey | undefined {
  return moduleKeys.find((key) => modules[key].subjects.includes(subject))
}

export const Module = z.enum(moduleKeys)

/** A module in an account. */
export const AccountModule = z.object({
  module: Module,
  /** the account's own setting */
  enabled: z.boolean(),
  /** whether it is on: enabled in the account and every one above it */
  effective: z.boolean(),
  /** switched off by an account above; `name` is empty when the caller cannot see that account */
  offAbove: z.object({ name: z.string() }).nullable(),
  /** own setting; null inherits */
  toNewUsers: z.boolean().nullable(),
  /** new users of the account get the module's role */
  effectiveToNewUsers: z.boolean(),
  /** whether the caller may switch it here */
  editable: z.boolean(),
  /** users of this account and those below with a role that contains a permission of the module */
  users: z.int(),
  version: z.int(),
})
export type AccountModule = z.infer<typeof AccountModule>

const manageAll = may('all', 'manage') satisfies AccessRule

export const moduleRules = {
  /** The permissions of each module, and the lines of the role for new users. */
  rules: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/system/modules/rules', tags: ['modules'], summary: 'Modules' })
    .output(
      z.object({
        items: z.array(
          z.object({
            module: Module,
            subjects: z.array(RoleLine.shape.subject),
            newUsers: z.array(RoleLine),
            restricted: z.boolean(),
          }),
        ),
      }),
    ),
}

export const accountModules = {
  list: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/acl/modules/tenant/{accountId}',
      tags: ['modules'],
      summary: 'Modules of an account',
    })
    .input(z.object({ accountId: Id }))
    .output(z.object({ items: z.array(AccountModule) })),
  /**
   * Switches a module of an account and the accounts below. Roles stay unchanged: while the module is off,
   * its permissions have no effect there. A module switched off by an administrator of an account above stays
   * off.
   */
  set: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/acl/modules/tenant',
      tags: ['modules'],
      summary: 'Switch a module of an account',
    })
    .input(
      z.object({
        accountId: Id,
        module: Module,
        version: Version,
        enabled: z.boolean(),
        toNewUsers: z.boolean().nullable(),
      }),
    )
    .output(AccountModule),
}
