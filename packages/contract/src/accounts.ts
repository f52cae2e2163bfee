import * as z from 'zod'
import { Tenant } from './auth.ts'
import { Done, Id, operation, Text, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'
import { PasswordPolicy } from './signin.ts'

/** Host name as browsers send it, in lower case, without port. */
export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.{1,253}$)([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/)

const Addresses = z.array(z.email({ pattern: z.regexes.html5Email }).max(200)).max(20)

/** Who gets what people say about the platform. */
export const FeedbackRecipients = z.object({
  bug: Addresses.default([]),
  featureRequest: Addresses.default([]),
})

/** IANA time zone name; the list of the running JavaScript decides. */
const Zone = z.string().max(64).refine(isZone, 'not a time zone')

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** What an account decides about itself. */
export const AccountInput = z.object({
  name: Title,
  description: Text.default(''),
  timeZone: Zone,
  domains: z.array(Domain).max(50).default([]),
  /** null inherits */
  passwordPolicy: PasswordPolicy.nullable().default(null),
  /** own terms of use; null inherits */
  terms: z.string().max(200_000).nullable().default(null),
  feedback: FeedbackRecipients.default({ bug: [], featureRequest: [] }),
})

export const Account = Tenant.extend({
  /** own value; null inherits */
  ownRetentionMonths: z.int().nullable(),
  domains: z.array(z.string()),
  passwordPolicy: PasswordPolicy.nullable(),
  terms: z.string().nullable(),
  /** terms accepted before this time have to be accepted again */
  consentSince: Time.nullable(),
  feedback: FeedbackRecipients,
  /** whether the caller may change it */
  editable: z.boolean(),
})
export type Account = z.infer<typeof Account>

/** What keeps an account from being deleted. */
export const AccountDependency = z.object({
  kind: z.enum(['tenant', 'virtualDevice', 'twin', 'connector', 'driver', 'user']),
  id: Id,
  title: z.string(),
  blocking: z.boolean(),
})

const manageAll = may('all', 'manage')

export const accounts = {
  get: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/tenant/{id}', tags: ['accounts'], summary: 'An account' })
    .input(z.object({ id: Id }))
    .output(Account),
  update: operation
    .meta({ rule: manageAll })
    .route({ method: 'PUT', path: '/tenant/{id}', tags: ['accounts'], summary: 'Change an account' })
    .input(
      AccountInput.extend({
        id: Id,
        version: Version,
        /** everybody has to accept the terms again */
        renewConsent: z.boolean().default(false),
      }),
    )
    .output(Account),
  /** Everything in the account and below it moves along; only for who administers both places. */
  move: operation
    .meta({ rule: manageAll })
    .route({ method: 'PUT', path: '/tenant/{id}/parent', tags: ['accounts'], summary: 'Move an account' })
    .input(z.object({ id: Id, version: Version, parentId: Id }))
    .output(Account),
  /** How long values are kept, in months; null inherits. Only for system administrators. */
  setRetention: operation
    .meta({ rule: may('super.system', 'manage') })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/retentionPolicy',
      tags: ['accounts'],
      summary: 'Set how long values are kept',
    })
    .input(z.object({ id: Id, version: Version, months: z.int().min(1).max(1200).nullable() }))
    .output(Account),
  dependencies: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/dependencies',
      tags: ['accounts'],
      summary: 'What keeps an account from being deleted',
    })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        blocking: z.boolean(),
        items: z.array(AccountDependency),
        more: z.boolean(),
        virtualDevices: z.int(),
      }),
    ),
  /**
   * Deletes an empty account with its users, roles, dashboards and drivers.
   * `virtualDevices` is the number of virtual devices as the one who deletes has typed it.
   */
  delete: operation
    .meta({ rule: manageAll })
    .route({ method: 'DELETE', path: '/tenant/{id}', tags: ['accounts'], summary: 'Delete an account' })
    .input(z.object({ id: Id, virtualDevices: z.int().min(0) }))
    .output(Done),
}
