import * as z from 'zod'
import { Tenant } from './auth.ts'
import { Done, Id, operation, Text, Time, Title, Version } from './common.ts'
import { Domain, domainsMax } from './domains.ts'
import { mailServer } from './mails.ts'
import { may } from './permissions.ts'
import { PasswordPolicy } from './signin.ts'

/** A limit an account may have of its own. It can lower what the accounts above it bound, never lift it. */
const AccountLimit = z.object({
  /** null inherits */
  own: z.int().nullable(),
  /** what holds: the least from here up to the topmost account; null: no limit */
  value: z.int().nullable(),
  /** whose limit holds when it is not the account's own; the name is null where the caller does not see that account */
  from: z.object({ name: z.string().nullable() }).nullable(),
})
export type AccountLimit = z.infer<typeof AccountLimit>

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
  /** all it claims, see `listDomains`; absent: they stay as they are */
  domains: z.array(Domain).max(domainsMax).optional(),
  /** null inherits */
  passwordPolicy: PasswordPolicy.nullable().default(null),
  /** own terms of use; null inherits */
  terms: z.string().max(200_000).nullable().default(null),
  feedback: FeedbackRecipients.default({ bug: [], featureRequest: [] }),
})

export const Account = Tenant.extend({
  /** own value; null inherits */
  ownRetentionMonths: z.int().nullable(),
  /** those it claims, proven or not */
  domains: z.array(z.string()),
  passwordPolicy: PasswordPolicy.nullable(),
  terms: z.string().nullable(),
  /** terms accepted before this time have to be accepted again */
  consentSince: Time.nullable(),
  feedback: FeedbackRecipients,
  limits: z.object({
    /** rows of a CSV file that somebody of the account takes out of lists */
    csvExport: AccountLimit,
    /** virtual devices of the account and of all below it, with how many there are */
    devices: AccountLimit.extend({ used: z.int() }),
    /** device templates of the account and of all below it, with how many there are */
    templates: AccountLimit.extend({ used: z.int() }),
    /** megabytes of files of the account and of all below it, with the bytes there are */
    files: AccountLimit.extend({ used: z.int() }),
    /** virtual devices of one bulk edit or import; without any 500 */
    bulk: AccountLimit,
  }),
  /** whether the caller may change it */
  editable: z.boolean(),
  /** whether the caller may change its limits: who administers the account above, at the top a system administrator */
  limitsEditable: z.boolean(),
})
export type Account = z.infer<typeof Account>

/** What keeps an account from being deleted. */
export const AccountDependency = z.object({
  kind: z.enum(['tenant', 'virtualDevice', 'twin', 'connector', 'driver', 'user']),
  id: Id,
  title: z.string(),
  blocking: z.boolean(),
})

/** Months values are kept where no account says anything else. */
export const retentionMonthsDefault = 24

const manageAll = may('all', 'manage')

export const accounts = {
  ...mailServer,
  get: operation
    .meta({ rule: 'session' })
    .route({ method: 'GET', path: '/tenant/{id}', tags: ['accounts'], summary: 'An account' })
    .input(z.object({ id: Id }))
    .output(Account),
  /**
   * `domains` claims those that are new and gives up those that are not in it. New ones are refused as by `claimDomain`.
   */
  update: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({ method: 'PUT', path: '/tenant/{id}', tags: ['accounts'], summary: 'Change an account' })
    .input(
      AccountInput.extend({
        id: Id,
        version: Version,
        /** everybody has to accept the terms again */
        renewConsent: z.boolean().default(false),
        acceptUnknownDomains: z.boolean().default(false),
      }),
    )
    .output(
      Account.extend({
        /** new domains of which no DNS server has said whether they exist */
        uncheckedDomains: z.array(z.string()),
      }),
    ),
  /** What passwords of the account's users need; null inherits. */
  setPasswordPolicy: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/passwordpolicy',
      tags: ['accounts'],
      summary: 'Set what passwords need',
    })
    .input(z.object({ id: Id, version: Version, policy: PasswordPolicy.nullable() }))
    .output(Account),
  /** Rows of a CSV file; null inherits. Only for who administers the account above, at the top a system administrator. */
  setCsvExportLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/csvExportLimit',
      tags: ['accounts'],
      summary: 'Set how many rows a CSV file may have',
    })
    .input(z.object({ id: Id, version: Version, rows: z.int().min(1).max(100_000_000).nullable() }))
    .output(Account),
  /**
   * Virtual devices of one bulk edit or import; null inherits, without any limit above it is 500. Only for who administers
   * the account above, at the top a system administrator.
   */
  setBulkLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/bulk-limit',
      tags: ['accounts'],
      summary: 'Set how many virtual devices a bulk job may have',
    })
    .input(z.object({ id: Id, version: Version, devices: z.int().min(1).max(50_000).nullable() }))
    .output(Account),
  /**
   * Virtual devices and device templates of the account and of all below it; null inherits, absent stays. What is there
   * already stays, only new ones are refused. Only for who administers the account above, at the top a system
   * administrator.
   */
  setTemplateLimits: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/template-limits',
      tags: ['accounts'],
      summary: 'Set how many virtual devices and device templates an account may have',
    })
    .input(
      z.object({
        id: Id,
        version: Version,
        devices: z.int().min(0).max(10_000_000).nullable().optional(),
        templates: z.int().min(0).max(1_000_000).nullable().optional(),
      }),
    )
    .output(Account),
  /**
   * Megabytes of files of the account and of all below it; null inherits. What is there already stays. Only for who
   * administers the account above, at the top a system administrator.
   */
  setFileLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/file-limit',
      tags: ['accounts'],
      summary: 'Set how many megabytes of files an account may have',
    })
    .input(z.object({ id: Id, version: Version, megabytes: z.int().min(0).max(1_000_000).nullable() }))
    .output(Account),
  /** Everything in the account and below it moves along; only for who administers both places. */
  move: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'PUT', path: '/tenant/{id}/parent', tags: ['accounts'], summary: 'Move an account' })
    .input(z.object({ id: Id, version: Version, parentId: Id }))
    .output(Account),
  /** How long values are kept, in months; null inherits. Only for system administrators. */
  setRetention: operation
    .meta({ rule: may('super.system', 'manage'), clientTimeoutMs: 60_000 })
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
   * Deletes an empty account with its users, roles, dashboards, device templates and drivers.
   * `virtualDevices` is the number of virtual devices as the one who deletes has typed it.
   */
  delete: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'DELETE', path: '/tenant/{id}', tags: ['accounts'], summary: 'Delete an account' })
    .input(z.object({ id: Id, virtualDevices: z.int().min(0) }))
    .output(Done),
}
