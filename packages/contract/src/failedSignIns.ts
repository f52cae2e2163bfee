import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'
import { may } from './permissions.ts'

export const failedSignInLimits = {
  /** rows; the newest are kept */
  keptMax: 10_000,
  keptDays: 30,
  /** rows of a network on one day; further names are counted together */
  ofNetworkMax: 100,
  /** rows of a name on one day; further networks are counted together */
  ofNameMax: 100,
} as const

/**
 * `password`, `factor`: it was wrong; `unknown`: nobody has the name; `locked`: too many wrong attempts before;
 * `deactivated`, `unassigned`: the user may not sign in, or has no role; `sso`: a provider's answer was refused.
 */
export const failedSignInReasons = [
  'password',
  'unknown',
  'factor',
  'locked',
  'deactivated',
  'unassigned',
  'sso',
] as const

const Named = z.object({ id: Id, name: z.string() })

/** Sign-ins of a day that failed in the same way. */
export const FailedSignIn = z.object({
  id: Id,
  firstAt: Time,
  lastAt: Time,
  times: z.int(),
  /** as typed, the beginning of names that nobody has; of a provider its title; '' for several names */
  name: z.string(),
  /** the newest address of the network; '' for several networks */
  address: z.string(),
  reason: z.enum(failedSignInReasons),
  /** code of the catalogue, for `sso` */
  code: z.string().nullable(),
  user: Named.nullable(),
  /** of the user or the provider */
  account: Named.nullable(),
})
export type FailedSignIn = z.infer<typeof FailedSignIn>

export const failedSignIn = {
  /**
   * Newest first. System administrators see all; others those of users and providers of the accounts they manage.
   * An entry appears within a few seconds.
   */
  list: operation
    .meta({ rule: may('all', 'manage') })
    .route({
      method: 'GET',
      path: '/failed-sign-ins',
      tags: ['users'],
      summary: 'Sign-ins that failed',
    })
    .input(
      z.object({
        ...Paging,
        /** part of the name, the address or the name of the user */
        search: z.string().max(200).optional(),
        reason: z.enum(failedSignInReasons).optional(),
        from: Time.optional(),
        to: Time.optional(),
      }),
    )
    .output(pageOf(FailedSignIn)),
}
