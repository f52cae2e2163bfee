import * as z from 'zod'
import { Id, listOf, operation, Paging, pageOf } from './common.ts'
import { may } from './permissions.ts'

/**
 * Flags that show or hide parts of the console, in addition to permissions, with their value where no account has
 * set them. They change what is offered, never what is allowed.
 */
export const featureFlags = {
  /** the rules monitor is in the menu */
  rulesMonitor: true,
  /** the menu has the device types of the data hub instead of the drivers of virtual devices */
  deviceTypes: false,
  /** the data hub is not in the menu */
  hideIotHub: false,
} as const
export type FeatureFlag = keyof typeof featureFlags

export const FeatureFlag = z.enum(Object.keys(featureFlags) as [FeatureFlag])

/** A flag of an account. */
export const AccountFlag = z.object({
  flag: FeatureFlag,
  /** set for this account; null inherits */
  own: z.boolean().nullable(),
  /** from the nearest account above that has set it, else the value of the platform */
  inherited: z.boolean(),
  effective: z.boolean(),
  /** where the effective value comes from: this account, one above it, or the platform's default */
  source: z.enum(['own', 'above', 'default']),
})
export type AccountFlag = z.infer<typeof AccountFlag>

/** An account with its flags, for the list of all. */
export const FlaggedAccount = z.object({
  id: Id,
  name: z.string(),
  /** the account above, if the caller administers the installation there, too */
  parent: z.object({ id: Id, name: z.string() }).nullable(),
  flags: z.array(AccountFlag),
})
export type FlaggedAccount = z.infer<typeof FlaggedAccount>

const AccountFlags = z.object({ name: z.string(), items: z.array(AccountFlag) })
const manageSystem = may('super.system', 'manage')
const tags = ['accounts']

/** Flags of accounts; users get those of their account at the next `auth.verify`. */
export const flags = {
  list: operation
    .meta({ rule: manageSystem })
    .route({
      method: 'GET',
      path: '/tenant/{id}/feature-flags',
      tags,
      summary: 'Feature flags of an account',
    })
    .input(z.object({ id: Id }))
    .output(AccountFlags),
  /** All accounts with their flags, by name. */
  accounts: operation
    .meta({ rule: manageSystem, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/system/feature-flags',
      tags,
      summary: 'Feature flags of all accounts',
    })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        /** only accounts that set one of these flags themselves */
        setHere: listOf(FeatureFlag).optional(),
      }),
    )
    .output(pageOf(FlaggedAccount)),
  /** Sets a flag for an account and those below it that do not set it themselves; null inherits. */
  set: operation
    .meta({ rule: manageSystem })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/feature-flags/{flag}',
      tags,
      summary: 'Set a feature flag of an account',
    })
    .input(z.object({ id: Id, flag: FeatureFlag, enabled: z.boolean().nullable() }))
    .output(AccountFlags),
}
