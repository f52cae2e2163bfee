import * as z from 'zod'
import { Id, operation } from './common.ts'
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
})
export type AccountFlag = z.infer<typeof AccountFlag>

const AccountFlags = z.object({ items: z.array(AccountFlag) })
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
