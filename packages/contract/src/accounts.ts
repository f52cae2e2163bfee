import * as z from 'zod'
import { Tenant } from './auth.ts'
import { Done, Id, limits, operation, Text, Time, Title, Version } from './common.ts'
import { Domain, domainsMax } from './domains.ts'
import { mailServer } from './mails.ts'
import { may } from './permissions.ts'
import { PasswordPolicy } from './signin.ts'

/**
 * A limit that an account can set for itself. It can lower the limit of the accounts above it, never raise
 * it.
 */
const AccountLimit = z.object({
  /** null inherits */
  own: z.int().nullable(),
  /** effective limit: the lowest from here up to the topmost account; null: no limit */
  value: z.int().nullable(),
  /**
   * the account whose limit applies, if not this one; the name is null if the caller cannot see that account
   */
  from: z.object({ name: z.string().nullable() }).nullable(),
})
export type AccountLimit = z.infer<typeof AccountLimit>

const Addresses = z.array(z.email({ pattern: z.regexes.html5Email }).max(200)).max(20)

/** The recipients of feedback about the platform. */
export const FeedbackRecipients = z.object({
  bug: Addresses.default([]),
  featureRequest: Addresses.default([]),
})

/** IANA time zone name, as supported by the JavaScript runtime. */
export const Zone = z.string().max(64).refine(isZone, 'not a time zone')

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Settings of an account. */
export const AccountInput = z.object({
  name: Title,
  description: Text.default(''),
  timeZone: Zone,
  /** all domains it claims, see `listDomains`; absent: unchanged */
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
  /** claimed domains, proven or not */
  domains: z.array(z.string()),
  passwordPolicy: PasswordPolicy.nullable(),
  terms: z.string().nullable(),
  /** terms accepted before this time must be accepted again */
  consentSince: Time.nullable(),
  feedback: FeedbackRecipients,
  limits: z.object({
    /** rows in a CSV file exported by users of the account */
    csvExport: AccountLimit,
    /** virtual devices of the account and all below it, with the current number */
    devices: AccountLimit.extend({ used: z.int() }),
    /** device templates of the account and all below it, with the current number */
    templates: AccountLimit.extend({ used: z.int() }),
    /** megabytes of files of the account and all below it, with the bytes in use */
    files: AccountLimit.extend({ used: z.int() }),
    /** virtual devices of one bulk edit or import; 500 if no limit is set */
    bulk: AccountLimit,
    /**
     * recipients of rule mails an hour of the account and all below it, with those of the last hour; see
     * also `ruleMailsDefault`
     */
    ruleMails: AccountLimit.extend({ used: z.int() }),
  }),
  /**
   * recipients of rule mails an hour of its customer (the account right below the topmost one, with all below
   * it) as set by the installation; null: the customer has a limit of its own instead
   */
  ruleMailsDefault: z.int().nullable(),
  /** whether the caller may change it */
  editable: z.boolean(),
  /**
   * whether the caller may change its limits: administrators of the account above, at the top system
   * administrators
   */
  limitsEditable: z.boolean(),
})
export type Account = z.infer<typeof Account>

/** Limits of an account; null inherits. */
const limitFields = {
  /** virtual devices of the account and all below it */
  devices: z.int().min(0).max(10_000_000).nullable(),
  /** device templates of the account and all below it */
  templates: z.int().min(0).max(1_000_000).nullable(),
  /** megabytes of files of the account and all below it */
  fileMegabytes: z.int().min(0).max(1_000_000).nullable(),
  /** virtual devices of one bulk edit or import */
  bulkDevices: z.int().min(1).max(50_000).nullable(),
  /** rows of a CSV file */
  csvRows: z.int().min(1).max(100_000_000).nullable(),
  /** recipients of rule mails an hour, of the account and all below it */
  ruleMails: z.int().min(0).max(1_000_000).nullable(),
}

/** Settings that only system administrators change. */
const systemFields = {
  /** months that values are kept; null inherits */
  retentionMonths: z.int().min(1).max(1200).nullable(),
  /** of all connectors together; null: the platform's default, 0: no limit */
  messagesPerSecond: z.int().min(0).max(limits.messagesPerSecondMax).nullable(),
}

/**
 * Limits and retention of an account; absent ones stay unchanged. Each needs the permission of its own
 * operation.
 */
export const AccountBounds = z.object({ ...limitFields, ...systemFields }).partial()
export type AccountBounds = z.infer<typeof AccountBounds>

/** An object that prevents an account from being deleted. */
export const AccountDependency = z.object({
  kind: z.enum(['tenant', 'virtualDevice', 'twin', 'connector', 'driver', 'user']),
  id: Id,
  title: z.string(),
  blocking: z.boolean(),
})

/** Months that values are kept if no account sets a retention. */
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
   * `domains` claims new domains and gives up those that are missing. New ones are refused as by
   * `claimDomain`. If any part is refused, nothing is changed.
   */
  update: operation
    .meta({ rule: manageAll, changes: 'rights' })
    .route({ method: 'PUT', path: '/tenant/{id}', tags: ['accounts'], summary: 'Change an account' })
    .input(
      AccountInput.extend({
        id: Id,
        version: Version,
        /** all users must accept the terms again */
        renewConsent: z.boolean().default(false),
        acceptUnknownDomains: z.boolean().default(false),
        bounds: AccountBounds.default({}),
      }),
    )
    .output(
      Account.extend({
        /** new domains that no DNS server has confirmed or denied */
        uncheckedDomains: z.array(z.string()),
      }),
    ),
  /** Sets the password rules for the account's users; null inherits. */
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
  /**
   * Rows of a CSV file; null inherits. Only for administrators of the account above, at the top for system
   * administrators.
   */
  setCsvExportLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/csvExportLimit',
      tags: ['accounts'],
      summary: 'Set how many rows a CSV file may have',
    })
    .input(z.object({ id: Id, version: Version, rows: limitFields.csvRows }))
    .output(Account),
  /**
   * Virtual devices of one bulk edit or import; null inherits, and without any limit above it is 500. Only
   * for administrators of the account above, at the top for system administrators.
   */
  setBulkLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/bulk-limit',
      tags: ['accounts'],
      summary: 'Set how many virtual devices a bulk job may have',
    })
    .input(z.object({ id: Id, version: Version, devices: limitFields.bulkDevices }))
    .output(Account),
  /**
   * Virtual devices and device templates of the account and all below it; null inherits, absent leaves it
   * unchanged. Existing ones are kept, only new ones are refused. Only for administrators of the account
   * above, at the top for system administrators.
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
        devices: limitFields.devices.optional(),
        templates: limitFields.templates.optional(),
      }),
    )
    .output(Account),
  /**
   * Megabytes of files of the account and all below it; null inherits. Existing files are kept. Only for
   * administrators of the account above, at the top for system administrators.
   */
  setFileLimit: operation
    .meta({ rule: manageAll })
    .route({
      method: 'PUT',
      path: '/tenant/{id}/file-limit',
      tags: ['accounts'],
      summary: 'Set how many megabytes of files an account may have',
    })
    .input(z.object({ id: Id, version: Version, megabytes: limitFields.fileMegabytes }))
    .output(Account),
  /** Moves the account with everything in and below it; only for administrators of both places. */
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
    .input(z.object({ id: Id, version: Version, months: systemFields.retentionMonths }))
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
   * `virtualDevices` is the number of virtual devices, typed in by the user as a confirmation.
   */
  delete: operation
    .meta({ rule: manageAll, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'DELETE', path: '/tenant/{id}', tags: ['accounts'], summary: 'Delete an account' })
    .input(z.object({ id: Id, virtualDevices: z.int().min(0) }))
    .output(Done),
}
